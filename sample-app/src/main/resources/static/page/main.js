// Wires the form to the scenarios.

import { call, parse } from './api.js';
import { clear, element } from './log.js';
import { operation, operations } from './operations.js';
import { fits, scenarios, sendOnce } from './scenarios.js';
import { run } from './try.js';

const byId = (id) => document.getElementById(id);

const user = byId('user');
const chosen = byId('operation');
const key = byId('key');
const body = byId('body');
const progress = byId('progress');

/** The keys of sent requests: a scenario starts with a fresh one. */
const used = new Set();

// The passwords of the sample's users are their names.
const account = (name) => ({ name, password: name });

/** The user who sends the requests with faults, which need the role OPS. */
const operator = account('ops');

// crypto.randomUUID exists in secure contexts only, which another machine's http:// is not.
function freshKey() {
	const bytes = crypto.getRandomValues(new Uint8Array(16));
	bytes[6] = (bytes[6] & 0x0f) | 0x40;
	bytes[8] = (bytes[8] & 0x3f) | 0x80;
	const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
	key.value = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function choose() {
	const current = operation(chosen.value);
	byId('operation-about').textContent = current.about;
	body.value = JSON.stringify(current.body, null, 2);
	validate();
	scenarios.forEach((scenario) => {
		byId(`scenario-${scenario.id}`).hidden = !fits(scenario, current);
	});
	byId('provider').hidden = !current.phases;
	freshKey();
}

function validate() {
	const wrong = parse(body.value) === undefined;
	body.setAttribute('aria-invalid', String(wrong));
	byId('body-error').textContent = wrong ? 'This is not JSON.' : '';
	return !wrong;
}

async function switchProvider(mode) {
	const answer = await call(operator, 'PUT', '/provider/faults', { body: JSON.stringify({ mode }) });
	if (answer.status !== 200) {
		throw new Error(answer.lost ? 'there is no connection to the server.'
			: `the switch of the payment provider answered ${answer.status}.`);
	}
	showProvider(answer.body.mode);
}

function showProvider(mode) {
	byId('provider-state').textContent = {
		'none': 'It works.', 'unavailable': 'It is down: every call gets 503.',
		'fail-after-charge': 'It makes charges, but its answers are lost.'
	}[mode];
}

async function start(scenario) {
	if (!validate()) {
		body.focus();
		return;
	}
	if (used.has(key.value) && scenario !== sendOnce) {
		freshKey();
	}
	used.add(key.value);
	await busy(() => run(scenario, {
		user: scenario.needsOperator ? operator : account(user.value), operation: operation(chosen.value), key: key.value, body: body.value,
		onProvider: switchProvider, onProgress: (text) => {
			progress.textContent = text;
		}
	}));
}

function setBusy(busy) {
	document.body.dataset.busy = String(busy);
	document.querySelectorAll('#request .primary, #scenarios button').forEach((button) =>
		button.setAttribute('aria-disabled', String(busy)));
}

async function busy(work) {
	// Not disabled: a keyboard user would lose the focus.
	if (document.body.dataset.busy === 'true') {
		return;
	}
	setBusy(true);
	progress.textContent = 'Sending…';
	try {
		await work();
		progress.textContent = 'Done.';
	}
	catch (failure) {
		showFailure(failure);
	}
	finally {
		setBusy(false);
	}
}

function showFailure(failure) {
	progress.textContent = `This page could not continue: ${failure.message}`;
}

operations.forEach(({ id, label }) => {
	chosen.append(element('option', { value: id, text: label }));
});
scenarios.forEach((scenario) => {
	const button = element('button', { type: 'button', text: scenario.label, 'aria-describedby': `about-${scenario.id}` });
	button.addEventListener('click', () => start(scenario));
	byId('scenarios').append(element('div', { id: `scenario-${scenario.id}` }, button,
		element('p', { id: `about-${scenario.id}`, className: 'hint', text: scenario.about })));
});
byId('request').addEventListener('submit', (event) => {
	event.preventDefault();
	start(sendOnce);
});
chosen.addEventListener('change', choose);
body.addEventListener('input', validate);
byId('new-key').addEventListener('click', freshKey);
byId('clear').addEventListener('click', clear);
document.querySelectorAll('#provider button').forEach((button) =>
	button.addEventListener('click', () => switchProvider(button.dataset.mode).catch(showFailure)));
choose();
