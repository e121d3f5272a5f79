// Shows requests without an answer. Rows are kept and changed in place, so that a refresh takes no focus away.

import { element } from './log.js';

const COLUMNS = [
	['Operation', (request) => request.operation],
	['State', (request) => request.state],
	['Recovery point', (request) => request.recoveryPoint ?? 'none'],
	['Attempts', (request) => String(request.attempts)],
	['Age', (request) => age(request.createdAt)],
	['Last error', (request) => request.lastError ?? 'none']
];

const known = new Map();

function age(createdAt) {
	const seconds = Math.max(0, Math.round((Date.now() - Date.parse(createdAt)) / 1000));
	return (seconds < 120) ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

/** Tables that are shown as blocks on a phone lose their roles: these say them. */
function row(request, actions) {
	const made = element('tr', { role: 'row', 'data-id': request.id },
		...COLUMNS.map(([label]) => element('td', { role: 'cell', 'data-label': label })));
	const name = `${request.operation} ${request.id.slice(0, 6)}`;
	const retry = element('button', { type: 'button', text: 'Retry', 'aria-label': `Retry ${name}` });
	const abandon = element('button', { type: 'button', text: 'Abandon', 'aria-label': `Abandon ${name}` });
	retry.addEventListener('click', () => actions.retry(known.get(request.id).request));
	abandon.addEventListener('click', () => actions.abandon(known.get(request.id).request));
	made.append(element('td', { role: 'cell', 'data-label': 'Do' },
		element('div', { className: 'buttons' }, retry, abandon)));
	return made;
}

function fill(made, request) {
	COLUMNS.forEach(([, value], i) => set(made.cells[i], value(request)));
	made.cells[1].className = `state-${request.state}`;
}

function set(target, text) {
	if (target.textContent !== text) {
		target.textContent = text;
	}
}

export function rows(body, requests, actions) {
	const present = new Set(requests.map((request) => request.id));
	known.forEach((entry, id) => {
		if (!present.has(id)) {
			entry.row.remove();
			known.delete(id);
		}
	});
	requests.forEach((request) => {
		const entry = known.get(request.id) ?? { row: row(request, actions) };
		entry.request = request;
		known.set(request.id, entry);
		fill(entry.row, request);
		if (!entry.row.isConnected) {
			body.append(entry.row);
		}
	});
}

export function figures(list, values) {
	const wanted = Object.entries(values).map(([name, value]) => [name, String(value)]);
	const shown = [...list.children].map((pair) => [pair.children[0].textContent, pair.children[1].textContent]);
	if (JSON.stringify(wanted) !== JSON.stringify(shown)) {
		list.replaceChildren(...wanted.map(([name, value]) =>
			element('div', {}, element('dt', { text: name }), element('dd', { text: value }))));
	}
}
