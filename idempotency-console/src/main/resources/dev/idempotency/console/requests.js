// The list of requests without an answer, one page at a time: requests that are not shown are neither counted nor read.

import { exposed, get, notExposed } from './api.js';
import { age, byId, element, keyed, setText, shortError } from './dom.js';
import { accountName, follow, open } from './request.js';

const LIMIT = 50;

const COLUMNS = [
	['Operation', undefined],
	['State', (request) => request.state],
	['Age', (request) => age(request.createdAt)],
	['Account', (request) => accountName(request.account) ?? request.account?.slice(0, 8) ?? ''],
	['Last step', (request) => request.recoveryPoint ?? 'none'],
	['Node', (request) => request.node ?? ''],
	['Attempts', (request) => String(request.attempts)],
	['Reason', reason]
];

let after;

let pages = 1;

let next;

/** The reason why a request has no answer, as far as it is known. */
export function reason(request) {
	if (request.effects) {
		return 'Committed effects that no step recorded';
	}
	if (request.lastError) {
		return `Failed with ${shortError(request.lastError)}`;
	}
	return (request.state === 'running') ? 'Running' : 'Its lease ended';
}

export async function refreshRequests() {
	const missing = byId('requests-missing');
	missing.hidden = exposed('idempotency');
	byId('requests-body').hidden = !exposed('idempotency');
	if (!exposed('idempotency')) {
		setText(missing, notExposed('idempotency'));
		return undefined;
	}
	const asked = { filter: byId('filter').value, after };
	const answer = await get('idempotency', `/${asked.filter}?limit=${LIMIT}`
		+ (asked.after ? `&after=${encodeURIComponent(asked.after)}` : ''));
	if (answer.status === 200 && asked.after === after && asked.filter === byId('filter').value) {
		show(answer.body);
	}
	return answer;
}

function show({ requests, next: following }) {
	next = following ?? undefined;
	const lost = keyed(byId('requests'), requests, (request) => request.id, row, fill);
	follow();
	byId('no-requests').hidden = requests.length > 0;
	byId('first').disabled = pages === 1;
	byId('next').disabled = !next;
	setText(byId('page'), (pages > 1 || next) ? `Page ${pages}` : '');
	if (lost) {
		byId('requests-section').focus();
	}
}

/** Tables that are shown as blocks on a phone lose their roles, which are therefore explicit. */
function row(request) {
	const button = element('button', { type: 'button', class: 'link', text: request.operation,
		'aria-label': `Open ${request.operation} ${request.id.slice(0, 12)}` });
	button.addEventListener('click', () => open(request.id, made));
	const made = element('tr', { role: 'row' }, ...COLUMNS.map(([label], i) =>
		element('td', { role: 'cell', 'data-label': label }, ...((i === 0) ? [button] : []))));
	return made;
}

function fill(made, request) {
	COLUMNS.forEach(([, value], i) => {
		if (value) {
			setText(made.cells[i], value(request));
		}
	});
	made.cells[1].className = `state-${request.state}`;
	made.cells[2].title = request.createdAt;
	made.cells[3].title = request.account ?? '';
}

function turn(position, number) {
	after = position;
	pages = number;
	refreshRequests();
}

export function startRequests() {
	byId('filter').addEventListener('change', () => turn(undefined, 1));
	byId('first').addEventListener('click', () => {
		turn(undefined, 1);
		byId('filter').focus();
	});
	byId('next').addEventListener('click', () => turn(next, pages + 1));
}
