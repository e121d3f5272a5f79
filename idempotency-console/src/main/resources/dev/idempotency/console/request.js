// One request: found, opened, retried, abandoned, exported. It is read on demand only, since each view of its
// content is logged.

import { exposed, get, post, whyReadOnly, writable } from './api.js';
import { act, confirm } from './actions.js';
import { byId, element, figures, say, seconds, setText, shortError, time } from './dom.js';

let current;

/** The row of the request in the list, if it was opened there. */
let row;

/** The names of accounts that the operator has typed, or has read in a request, by their digests. Only in this page. */
const accounts = new Map();

export const accountName = (digest) => accounts.get(digest);

const STATES = { finished: 'finished', running: 'running', waiting: 'waiting for another attempt',
	stuck: 'stuck: it needs manual resolution', unknown: 'unknown: never sent, expired, or not yet committed' };

const DELIVERIES = {
	replayed: ({ status }) => `Gets the stored answer again${status ? `, ${status}` : ''}. Nothing runs.`,
	executed: () => 'Runs from the beginning.',
	continued: () => 'Continues after its last step.',
	refused: ({ status, outcome, detail }) => `Gets ${status} ${outcome}: ${detail}`
};

/** Opens a request where it was clicked: below its row, or below what was found. */
export async function open(id, from) {
	const answer = await get('idempotency', `/${encodeURIComponent(id)}`);
	if (answer.status !== 200) {
		say(answer.status === 404 ? 'No request has this id.' : answer.problem);
		return;
	}
	found(answer.body, from);
}

/** Places the request, without taking away its focus. */
function place(from) {
	row = from;
	const section = byId('request');
	const focused = section.contains(document.activeElement) ? document.activeElement : undefined;
	const opened = byId('opened');
	opened.hidden = !row;
	if (row) {
		row.after(opened);
		opened.firstElementChild.append(section);
	}
	else {
		byId('found').after(section);
	}
	focused?.focus();
}

/** Follows the row. When the row is gone, the request stays where it is. */
export function follow() {
	if (row?.isConnected && row.nextElementSibling !== byId('opened')) {
		place(row);
	}
}

/** Shows the request that was found, or lets the operator choose one of several. */
function found(body, from) {
	const several = body.requests ?? [];
	byId('found').replaceChildren(...several.map((request) => {
		const button = element('button', { type: 'button', class: 'link', text: `${request.operation}, ${request.state}` });
		button.addEventListener('click', () => open(request.id));
		return element('li', {}, button);
	}));
	if (several.length > 0) {
		say(`${several.length} requests found. Choose one.`);
		byId('found').querySelector('button').focus();
	}
	else {
		place(from);
		show(body);
		byId('request-title').focus();
	}
}

function show(request) {
	current = request;
	byId('request').hidden = false;
	setText(byId('request-title'), `Request ${request.id.slice(0, 12)}`);
	figures(byId('facts'), { Operation: request.operation, State: STATES[request.state], Account: account(request),
		Attempts: request.attempts, Node: request.node, 'Last step': request.recoveryPoint, 'Last error': shortError(request.lastError),
		Id: request.id });
	byId('life').replaceChildren(...life(request).map(([at, text]) =>
		element('li', {}, ...(at ? [time(at), ': '] : []), text)));
	const next = request.next;
	setText(byId('delivery'), (DELIVERIES[next.outcome] ?? DELIVERIES.refused)(next));
	showContent(request);
	const open = ['waiting', 'stuck'].includes(request.state);
	byId('retry').disabled = byId('abandon').disabled = !open || !writable('idempotency');
	byId('export').disabled = request.state === 'unknown';
	setText(byId('request-writes'), whyReadOnly('idempotency')
		|| (open ? '' : 'Only waiting or stuck requests can be retried or abandoned.'));
}

/** The account by its name, where the content shows it or the operator has named it, and by its digest. */
function account(request) {
	const shown = request.content?.command?.account?.id;
	if (shown) {
		accounts.set(request.account, shown);
	}
	const name = accountName(request.account);
	return name ? `${name} (${request.account.slice(0, 8)})` : request.account;
}

/** The times of a request, and the events at them. */
function life(request) {
	const events = [];
	if (request.createdAt) {
		events.push([request.createdAt, 'claimed for the first time']);
	}
	if (request.effects) {
		events.push([undefined, 'effects were committed that no step recorded']);
	}
	if (request.state === 'running') {
		events.push([request.leaseUntil, `the lease of attempt ${request.attempts} expires, unless it is extended`]);
	}
	else if (request.leaseUntil) {
		events.push([request.leaseUntil, `attempt ${request.attempts} has ended without an answer`]);
	}
	if (request.stuckAt) {
		events.push([request.stuckAt, 'became stuck']);
	}
	if (request.retryAt && request.state === 'waiting') {
		events.push([request.retryAt, 'the completer retries it']);
	}
	if (request.finishedAt) {
		events.push([request.finishedAt, request.status ? `answered with ${request.status}` : 'its value was stored']);
		events.push([request.expiresAt,
			`the answer expires, ${seconds((Date.parse(request.expiresAt) - Date.parse(request.finishedAt)) / 1000)} after it was stored`]);
	}
	return events;
}

function showContent({ content }) {
	byId('content').hidden = !content;
	setText(byId('content'), content ? JSON.stringify(content, null, 2) : '');
	setText(byId('content-hint'), content ? 'This view was logged with your name.'
		: 'None, or hidden: idempotency.endpoint.show-bodies is off by default.');
}

async function retry() {
	const request = current;
	const warning = request.effects ? ' Effects that no step recorded may happen twice: reconcile them first.' : '';
	if (await confirm({ title: 'Retry this request?', yes: 'Retry',
		about: `${request.operation} ${request.recoveryPoint ? `continues after ${request.recoveryPoint}` : 'runs from the beginning'}, with a new count of attempts.${warning}` })) {
		await resolve(request, 'retry', {}, `${request.operation} is retried.`);
	}
}

async function abandon() {
	const request = current;
	const answer = await confirm({ title: 'Abandon this request?', yes: 'Abandon', answer: true,
		about: `${request.operation} will not run again. The effects of its steps remain, and the sender gets this answer.` });
	if (answer) {
		const body = JSON.stringify({ type: 'about:blank', title: 'Request abandoned', status: answer.status, detail: answer.detail });
		await resolve(request, 'abandon', { status: answer.status, contentType: 'application/problem+json', body },
			`${request.operation} is abandoned: the sender gets ${answer.status}.`);
	}
}

async function resolve(request, action, body, done) {
	await act('idempotency', `/${request.id}/${action}`, { ...body, version: request.version }, done);
	await reread(request.id);
}

async function reread(id) {
	const answer = await get('idempotency', `/${id}`);
	if (answer.status === 200) {
		show(answer.body);
	}
	else {
		say(answer.problem);
	}
	byId('request-title').focus();
}

function download() {
	const file = new Blob([JSON.stringify(current, null, 2)], { type: 'application/json' });
	const link = element('a', { href: URL.createObjectURL(file), download: `request-${current.id.slice(0, 12)}.json` });
	link.click();
	URL.revokeObjectURL(link.href);
}

async function lookUp() {
	const value = (id) => byId(id).value || undefined;
	const answer = await post('idempotencylookup', '', { key: value('key'), account: value('account'),
		tenant: value('tenant'), issuer: value('issuer') });
	if (answer.status === 200) {
		[answer.body, ...answer.body.requests ?? []].filter((request) => request.account && value('account'))
			.forEach((request) => accounts.set(request.account, value('account')));
		found(answer.body);
	}
	else {
		say(answer.problem);
	}
}

export function startRequest() {
	byId('by-id').addEventListener('submit', (event) => {
		event.preventDefault();
		if (exposed('idempotency')) {
			open(byId('id').value.trim());
		}
		else {
			say('This needs the endpoint idempotency, which is not exposed.');
		}
	});
	byId('by-key').addEventListener('submit', (event) => {
		event.preventDefault();
		if (writable('idempotencylookup')) {
			lookUp();
		}
		else {
			say('This needs the endpoint idempotencylookup, which is not exposed or is read-only.');
		}
	});
	byId('retry').addEventListener('click', retry);
	byId('abandon').addEventListener('click', abandon);
	byId('export').addEventListener('click', download);
	byId('reread').addEventListener('click', () => reread(current.id));
	byId('close').addEventListener('click', () => {
		byId('request').hidden = byId('opened').hidden = true;
		(row?.querySelector('button') ?? byId('requests-section')).focus();
	});
}
