// Refreshes everything while the page is visible, and reports when the server is gone and when it is back.

import { exposed, get, loadSettings, notExposed } from './api.js';
import { age, byId, figures, seconds, setText } from './dom.js';
import { refreshPlots } from './plots.js';
import { refreshJobs, refreshOutbox, showPurge, startQueues } from './queues.js';
import { startRequest } from './request.js';
import { refreshRequests, startRequests } from './requests.js';

const EVERY_MILLIS = 5000;

let timer;

let paused = false;

/** The time of the first request without an answer from the server. */
let lostAt;

let back = '';

async function refresh() {
	clearTimeout(timer);
	const settings = await loadSettings();
	connection((settings.status === 200) ? await everything() : [settings]);
	schedule();
}

async function everything() {
	showPurge();
	showMissing();
	const answers = await Promise.all([exposed('idempotency') ? get('idempotency') : undefined, refreshJobs(),
		refreshOutbox(), refreshPlots(), refreshRequests()]);
	const [summary, jobs, outbox] = answers.map((answer) => (answer?.status === 200) ? answer.body : undefined);
	showGlance(summary, jobs, outbox);
	showWorkers(summary, outbox);
	return answers;
}

/** The parts of the page that have no other place to say it. */
function showMissing() {
	[['glance', 'idempotency'], ['by-id', 'idempotency'], ['by-key', 'idempotencylookup']].forEach(([part, id]) => {
		byId(`${part}-missing`).hidden = exposed(id);
		setText(byId(`${part}-missing`), exposed(id) ? '' : notExposed(id));
		byId(`${part}-body`).hidden = !exposed(id);
	});
}

/** Values that cannot be read stay as they were. */
function showGlance(summary, jobs, outbox) {
	if (summary) {
		const { records, running, waiting, stuck, oldestOpen, deadJobs } = summary;
		figures(byId('summary'), { Stuck: stuck, Waiting: waiting, Running: running,
			'Oldest without an answer': oldestOpen ? `${seconds(oldestOpen.ageSeconds)}, ${oldestOpen.operation}` : 'none',
			'Answers stored, about': records, 'Staged jobs': jobs?.staged, 'Dead jobs': deadJobs,
			'Events waiting': outbox?.waiting }, ['Stuck', 'Dead jobs']);
	}
}

function showWorkers(summary, outbox) {
	const worker = (state) => state && `${state.alive ? 'alive' : 'not alive'}, last run `
		+ (state.lastRun ? `${age(state.lastRun)} ago` : 'not yet');
	if (summary) {
		figures(byId('workers'), { Reaper: worker(summary.reaper) ?? 'not on this node',
			Completer: worker(summary.completer) ?? 'not on this node', Relay: worker(outbox?.relay) ?? 'not on this node' });
	}
}

function connection(answers) {
	if (paused) {
		return;
	}
	const line = byId('connection');
	const gone = answers.find((answer) => answer && (answer.status === 0 || answer.status === 401 || answer.status >= 500));
	line.className = gone ? 'lost' : '';
	if (gone) {
		lostAt ??= new Date();
		setText(line, `${gone.problem} The page shows the state of ${lostAt.toLocaleTimeString()}. Retrying.`);
		return;
	}
	if (lostAt) {
		lostAt = undefined;
		back = `The server has been back since ${new Date().toLocaleTimeString()}. `;
	}
	const refused = answers.find((answer) => answer?.problem);
	setText(line, `${back}Live, every ${EVERY_MILLIS / 1000} seconds.`
		+ (refused ? ` Part of the page cannot be loaded: ${refused.problem}` : ''));
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
