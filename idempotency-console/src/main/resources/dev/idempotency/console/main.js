// Reads everything again while the page is looked at, and says when the server is gone and when it is back.

import { exposed, get, loadSettings } from './api.js';
import { age, byId, figures, seconds, setText } from './dom.js';
import { refreshPlots } from './plots.js';
import { refreshJobs, refreshOutbox, showPurge, startQueues } from './queues.js';
import { startRequest } from './request.js';
import { refreshRequests, startRequests } from './requests.js';

const EVERY_MILLIS = 5000;

let timer;

let paused = false;

/** Since when the server does not answer. */
let lostAt;

async function refresh() {
	clearTimeout(timer);
	const settings = await loadSettings();
	const answers = (settings.status === 200) ? await everything() : [settings];
	connection(answers.find((answer) => answer?.problem));
	schedule();
}

async function everything() {
	showPurge();
	const [summary, outbox, ...others] = await Promise.all([refreshSummary(), refreshOutbox(), refreshPlots(),
		refreshRequests(), refreshJobs()]);
	showWorkers(summary?.body, outbox?.body);
	return [summary, outbox, ...others];
}

async function refreshSummary() {
	if (!exposed('idempotency')) {
		return undefined;
	}
	const answer = await get('idempotency');
	if (answer.status === 200) {
		const { records, running, waiting, stuck, oldestOpen, deadJobs } = answer.body;
		figures(byId('summary'), { Stuck: stuck, Waiting: waiting, Running: running,
			'Oldest without an answer': oldestOpen ? `${seconds(oldestOpen.ageSeconds)}, ${oldestOpen.operation}` : 'none',
			'Answers kept, about': records, 'Dead jobs': deadJobs });
	}
	return answer;
}

function showWorkers(summary, outbox) {
	const worker = (state) => state && `${state.alive ? 'alive' : 'not alive'}, last turn `
		+ (state.lastRun ? `${age(state.lastRun)} ago` : 'not yet');
	figures(byId('workers'), { Reaper: worker(summary?.reaper) ?? 'none here',
		Completer: worker(summary?.completer) ?? 'none here', Relay: worker(outbox?.relay) ?? 'none here' });
}

function connection(failure) {
	if (paused) {
		return;
	}
	const line = byId('connection');
	if (failure) {
		lostAt ??= new Date();
		setText(line, `${failure.problem} What you see is as of ${lostAt.toLocaleTimeString()}. Trying again.`);
		line.className = 'lost';
		return;
	}
	const back = lostAt ? `The server is back since ${new Date().toLocaleTimeString()}. ` : '';
	lostAt = undefined;
	if (back || line.className === 'lost' || !line.textContent.endsWith('seconds.')) {
		setText(line, `${back}Live, every ${EVERY_MILLIS / 1000} seconds.`);
	}
	line.className = '';
}

function schedule() {
	clearTimeout(timer);
	if (!paused && document.visibilityState === 'visible') {
		timer = setTimeout(refresh, EVERY_MILLIS);
	}
}

function togglePause() {
	paused = !paused;
	byId('pause').setAttribute('aria-pressed', String(paused));
	if (paused) {
		clearTimeout(timer);
		setText(byId('connection'), 'Paused.');
	}
	else {
		refresh();
	}
}

startRequests();
startRequest();
startQueues();
byId('pause').addEventListener('click', togglePause);
document.addEventListener('visibilitychange', () => {
	if (!paused && document.visibilityState === 'visible') {
		refresh();
	}
});
refresh();
