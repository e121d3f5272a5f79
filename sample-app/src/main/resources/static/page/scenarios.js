// Each scenario is a sequence of real requests: `t` sends them, logs them, and counts the results.

const CUT = 'cut-after-commit';

const KILL = 'kill-after-charge';

async function send(t) {
	await t.send();
}

async function twice(t) {
	const answers = await Promise.all([t.send(), t.send()]);
	if (answers.some(({ status }) => status === 409)) {
		t.note('The client that got a 409 sends the request again:');
		await t.sendUntilDone();
	}
}

async function cut(t) {
	t.lostAsAsked(await t.send({ fault: CUT }));
	t.note('The client does not know the outcome, and sends the request again with the same key:');
	await t.sendUntilDone();
}

async function change(t) {
	await t.send();
	t.note('The same key with another body is another request, and is refused:');
	await t.send({ body: t.changed() });
}

async function declined(t) {
	t.note('With the card tok_declined. A refusal is final: it is stored, and a retry gets it again.');
	const body = t.withCard('tok_declined');
	await t.send({ body });
	await t.send({ body });
}

async function unavailable(t) {
	await t.provider('unavailable');
	await t.send();
	await t.provider('none');
	t.note('The client sends it again: it continues with the charge.');
	await t.sendUntilDone();
}

async function chargeLost(t) {
	await t.provider('fail-after-charge');
	await t.send();
	await t.provider('none');
	t.note('The provider has charged the card, but its answer was lost. It is called again with the same derived key:');
	await t.sendUntilDone();
}

async function killThenClient(t) {
	t.lostAsAsked(await t.send({ fault: KILL }));
	t.note('The handler is dead, but its lease has not expired. The client sends the request again after Retry-After:');
	await t.sendUntilDone();
}

async function killThenCompleter(t) {
	t.lostAsAsked(await t.send({ fault: KILL }));
	t.note('The client gives up. When the lease has expired, the completer takes over the request…');
	await t.untilListed('booked');
	t.note('…and has finished it. The client comes back after all:');
	await t.sendUntilDone();
}

async function leave(t) {
	await t.provider('unavailable');
	await t.send();
	t.note('The provider stays down. The completer tries 4 times, then the request is stuck. '
		+ 'Repair the provider, open the operator\'s console below, and retry the request there.');
}

export const sendOnce = { id: 'send', label: 'Send', run: send };

export const scenarios = [
	{ id: 'twice', label: 'Send twice at the same time', run: twice,
		about: 'A double click, or two nodes that deliver the same message.' },
	{ id: 'cut', label: 'Cut the connection after the commit, then retry', run: cut, needs: 'list',
		needsOperator: true, about: 'The server commits, and closes the connection before the first byte of the answer. '
			+ 'Sent by ops: this fault needs the role OPS.' },
	{ id: 'change', label: 'Change the body', run: change,
		about: 'The same key with a different body.' },
	{ id: 'declined', label: 'Declined card, twice', run: declined, needs: 'cards',
		about: 'A final error is an answer like any other.' },
	{ id: 'unavailable', label: 'Fail at the charge, then retry', run: unavailable, needs: 'phases',
		about: 'The provider answers 503, until it is repaired.' },
	{ id: 'charge-lost', label: 'Lose the provider’s answer, then retry', run: chargeLost, needs: 'phases',
		about: 'The provider makes the charge, and its answer is lost.' },
	{ id: 'kill-client', label: 'Kill the handler, the client retries', run: killThenClient, needs: 'phases',
		needsOperator: true, about: 'The handler’s thread dies right after the charge without informing the store, so its lease (10 seconds) '
			+ 'expires as after kill -9. The process keeps running. '
			+ 'Sent by ops: this fault needs the role OPS.' },
	{ id: 'kill-completer', label: 'Kill the handler, the client gives up', run: killThenCompleter, needs: 'phases',
		needsOperator: true, about: 'As above, but the client does not retry: the completer finishes the request, 5 seconds after the lease.' },
	{ id: 'leave', label: 'Leave it to the operator', run: leave, needs: 'phases',
		about: 'The provider goes down and stays down.' }
];

export const fits = (scenario, operation) => !scenario.needs || Boolean(operation[scenario.needs]);
