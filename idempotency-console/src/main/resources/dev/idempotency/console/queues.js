// Staged jobs and the outbox, and the purge of an account.

import { exposed, get, notExposed, post, present, whyReadOnly, writable } from './api.js';
import { act, confirm } from './actions.js';
import { age, byId, element, figures, keyed, say, setText, shortError } from './dom.js';

const NAMES = { jobs: 'staged jobs', outbox: 'outbox' };

export async function refreshJobs() {
	const answer = await read('idempotencyjobs', 'jobs');
	if (answer?.status === 200) {
		figures(byId('jobs-figures'), { Staged: answer.body.staged, Dead: answer.body.jobs.length });
		list('jobs', 'idempotencyjobs', 'job', answer.body.jobs, (job) =>
			`${job.type}: died ${age(job.diedAt)} ago after ${job.attempts} attempts, ${shortError(job.lastError)}`);
	}
	return answer;
}

export async function refreshOutbox() {
	const answer = await read('idempotencyoutbox', 'outbox');
	if (answer?.status === 200) {
		const { events, waiting, backlog } = answer.body;
		figures(byId('outbox-figures'), { Waiting: waiting, Refused: events.length });
		byId('no-backlog').hidden = backlog.length > 0;
		keyed(byId('backlog'), backlog, (entry) => `${entry.destination} ${entry.keyDigest ?? ''}`,
			() => element('li'), (made, entry) => setText(made, `${entry.destination}, ${key(entry)}: ${entry.events}, `
				+ `the oldest ${age(entry.oldestAt)}${entry.refused ? ', held back by a refused event' : ''}`));
		list('events', 'idempotencyoutbox', 'event', events, (event) => `${event.type} to ${event.destination}: published `
			+ `${age(event.publishedAt)} ago, refused ${event.failures} times, ${shortError(event.lastError)}`);
	}
	return answer;
}

function key(entry) {
	if (entry.key) {
		return `key ${entry.key}`;
	}
	return entry.keyDigest ? `key digest ${entry.keyDigest}` : 'without a key';
}

async function read(id, section) {
	const missing = byId(`${section}-missing`);
	missing.hidden = exposed(id);
	byId(`${section}-writes`).hidden = byId(`${section}-body`).hidden = !exposed(id);
	if (!exposed(id)) {
		setText(missing, present(id) ? notExposed(id) : `This application has no ${NAMES[section]}.`);
		return undefined;
	}
	setText(byId(`${section}-writes`), whyReadOnly(id));
	return get(id);
}

function list(listId, id, noun, entries, text) {
	const lost = keyed(byId(listId), entries, (entry) => entry.id, (entry) => {
		const button = (action, label) => {
			const made = element('button', { type: 'button', text: label, 'aria-label': `${label} ${noun} ${entry.id}` });
			made.addEventListener('click', () => resolve(id, noun, entry.id, action, label));
			return made;
		};
		return element('li', {}, element('span'), element('span', { class: 'buttons' }, button('retry', 'Retry…'),
			button('discard', 'Discard…')));
	}, (made, entry) => {
		setText(made.firstElementChild, text(entry));
		made.querySelectorAll('button').forEach((button) => {
			button.disabled = !writable(id);
		});
	});
	byId(`no-${listId}`).hidden = entries.length > 0;
	if (lost) {
		byId(`${(noun === 'job') ? 'jobs' : 'outbox'}-title`).focus();
	}
}

async function resolve(id, noun, entry, action, label) {
	const about = (action === 'retry') ? `The ${noun} ${entry} is retried.` : `The ${noun} ${entry} is deleted.`;
	if (await confirm({ title: `${label.replace('…', '')} this ${noun}?`, yes: label.replace('…', ''), about })) {
		await act(id, `/${entry}/${action}`, {}, about);
		await (noun === 'job' ? refreshJobs() : refreshOutbox());
	}
}

async function purge(event) {
	event.preventDefault();
	const body = { account: byId('purge-account').value, tenant: byId('purge-tenant').value || undefined,
		issuer: byId('purge-issuer').value || undefined, unfinished: byId('purge-unfinished').value };
	if (!await confirm({ title: 'Purge this account?', yes: 'Purge', about: `The stored answers of the account `
		+ `${body.account} are deleted, and cannot be restored. Lock the account first: a retry with one of its keys would run again.` })) {
		return;
	}
	say('The purge reads the whole table. The log of the node shows its progress.');
	const { status, body: result, problem } = await post('idempotency', '/purge', body);
	if (status === 200) {
		say(`Purged: ${result.answers} answers and ${result.unfinished} requests without one; ${result.remaining} requests are left, which are running or have effects.`);
	}
	else {
		say(`Not done: ${result?.refused ? `${result.remaining} requests of the account have no answer yet.` : problem}`);
	}
}

export function showPurge() {
	byId('purge-button').disabled = !writable('idempotency');
	setText(byId('purge-writes'), whyReadOnly('idempotency'));
}

export function startQueues() {
	byId('purge').addEventListener('submit', purge);
}
