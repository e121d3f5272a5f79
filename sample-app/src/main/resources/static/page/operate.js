// The operator's view: polls while the tab is visible, retries, gives up, looks up.

import { call } from './api.js';
import { element } from './log.js';
import { figures, rows } from './requests.js';

const EVERY_MILLIS = 2000;

const byId = (id) => document.getElementById(id);

/** In memory alone. */
let operator;

let timer;

let paused = false;

const endpoint = (method, path, body) => call(operator, method, `/actuator/${path}`,
	{ body: body && JSON.stringify(body) });

const say = (text) => {
	byId('ops-status').textContent = text;
};

async function refresh() {
	clearTimeout(timer);
	const [summary, open] = await Promise.all([endpoint('GET', 'idempotency'), endpoint('GET', 'idempotency/open')]);
	if (summary.status === 200 && open.status === 200) {
		show(summary.body, open.body.requests);
	}
	else {
		byId('live').textContent = problem(open);
	}
	schedule();
	return open;
}

function schedule() {
	clearTimeout(timer);
	if (operator && !paused && document.visibilityState === 'visible') {
		timer = setTimeout(refresh, EVERY_MILLIS);
	}
}

function problem(answer) {
	if (answer.lost) {
		return 'There is no connection to the server.';
	}
	return (answer.status === 401 || answer.status === 403) ? 'That is not an operator.'
		: `The endpoint answered ${answer.status}.`;
}

function show(summary, requests) {
	byId('live').textContent = paused ? 'Paused.' : 'Live, every 2 seconds.';
	const worker = (it) => (it === undefined || it === null) ? 'none here' : (it.alive ? 'alive' : 'not alive');
	figures(byId('summary'), {
		'Answers kept, about': summary.records, 'Running': summary.running, 'Waiting': summary.waiting,
		'Stuck': summary.stuck, 'Dead jobs': summary.deadJobs ?? 'none', 'Completer': worker(summary.completer),
		'Reaper': worker(summary.reaper)
	});
	rows(byId('requests'), requests, { retry, abandon });
	byId('no-requests').hidden = requests.length > 0;
}

async function act(request, action, body, words) {
	const answer = await endpoint('POST', `idempotency/${request.id}/${action}`, body ?? {});
	say((answer.status === 200) ? words
		: `Not done: ${answer.body?.state ? `the request is ${answer.body.state} now.` : problem(answer)}`);
	await refresh();
	if (document.activeElement === document.body) {
		// The row that had the focus is gone.
		byId('pause').focus();
	}
}

const retry = (request) => act(request, 'retry', undefined,
	`${request.operation} is tried again from its recovery point.`);

function abandon(request) {
	const dialog = byId('abandon');
	byId('abandon-about').textContent = `${request.operation}, after ${request.recoveryPoint ?? 'no step'}. What its `
		+ 'steps have done stays done; its sender gets this answer from now on.';
	dialog.returnValue = '';
	dialog.onclose = () => {
		if (dialog.returnValue === 'abandon') {
			giveUp(request, Number(byId('abandon-status').value), byId('abandon-text').value);
		}
	};
	dialog.showModal();
}

function giveUp(request, status, detail) {
	const body = JSON.stringify({ type: 'about:blank', title: 'Given up', status, detail });
	act(request, 'abandon', { status, contentType: 'application/problem+json', body },
		`${request.operation} is given up: its sender gets ${status}.`);
}

async function signIn(event) {
	event.preventDefault();
	operator = { name: byId('ops-user').value, password: byId('ops-password').value };
	const answer = await refresh();
	if (answer.status !== 200) {
		say(problem(answer));
		operator = undefined;
		clearTimeout(timer);
		byId('ops-password').focus();
		return;
	}
	byId('sign-in').hidden = true;
	byId('dashboard').hidden = false;
	say('Signed in.');
	byId('pause').focus();
}

function togglePause() {
	paused = !paused;
	byId('pause').setAttribute('aria-pressed', String(paused));
	byId('live').textContent = paused ? 'Paused.' : 'Live, every 2 seconds.';
	if (!paused) {
		refresh();
	}
	else {
		clearTimeout(timer);
	}
}

async function lookUp(event) {
	event.preventDefault();
	const { status, body } = await endpoint('POST', 'idempotencylookup', {
		key: byId('look-up-key').value, account: byId('look-up-user').value,
		operation: byId('look-up-operation').value
	});
	if (status !== 200) {
		say(`The look-up answered ${status}.`);
		return;
	}
	const known = { State: body.state, Operation: body.operation, Status: body.status,
		'Recovery point': body.recoveryPoint, Attempts: body.attempts, 'Kept until': body.expiresAt };
	figures(byId('found'), Object.fromEntries(Object.entries(known).filter(([, value]) => value != null)));
}

export function startOperating() {
	byId('sign-in').addEventListener('submit', signIn);
	byId('pause').addEventListener('click', togglePause);
	byId('look-up').addEventListener('submit', lookUp);
	document.addEventListener('visibilitychange', () => {
		if (operator && !paused && document.visibilityState === 'visible') {
			refresh();
		}
	});
}
