// The operations, and the counts of their results.

const degrees = { originLat: 52.52, originLon: 13.4, targetLat: 52.36, targetLon: 13.51 };

const farther = (body) => ({ ...body, targetLat: body.targetLat + 0.5 });

export const operations = [
	{
		id: 'payment', label: 'Pay: POST /payments', path: '/payments', list: '/payments', noun: 'payment',
		about: 'One transaction: the payment and its answer are committed together.',
		body: { amountCents: 5000, currency: 'usd', cardToken: 'tok_visa' },
		change: (body) => ({ ...body, amountCents: body.amountCents + 100 }), cards: true
	},
	{
		id: 'ride', label: 'Ride: POST /rides', path: '/rides', list: '/rides', noun: 'ride',
		about: 'Phases with recovery points: the ride is created, the card is charged by another service, '
			+ 'the ride is booked and a receipt is staged.',
		body: { ...degrees, cardToken: 'tok_visa' }, change: farther, cards: true, phases: true
	},
	{
		id: 'order', label: 'Order: POST /orders', path: '/orders', list: '/orders', noun: 'order',
		about: 'Like a payment, but the key counts for this endpoint only.',
		body: { item: 'Helmet', quantity: 1 }, change: (body) => ({ ...body, quantity: body.quantity + 1 })
	},
	{
		id: 'quote', label: 'Quote: POST /quotes', path: '/quotes', noun: 'quote',
		about: 'Answered by another thread, under a lease. There is no list of quotes: count the ids in the answers.',
		body: degrees, change: farther
	}
];

export const operation = (id) => operations.find((candidate) => candidate.id === id);

const number = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The current results of the user and of the provider. */
export async function look(call, operation) {
	const found = {};
	if (operation.list) {
		found[operation.noun] = ids((await call('GET', operation.list)).body, 'id');
	}
	if (operation.phases) {
		found.charge = (await call('GET', '/provider/charges')).body.count;
		found.receipt = ids((await call('GET', '/receipts')).body, 'rideId');
	}
	return found;
}

const ids = (list, name) => new Set(list.map((entry) => entry[name]));

/** The new results, as counts by noun. */
export function made(before, after) {
	return Object.fromEntries(Object.keys(after).map((noun) => [noun, (noun === 'charge')
		? after.charge - before.charge : [...after[noun]].filter((id) => !before[noun].has(id)).length]));
}

export const inWords = (counts) => Object.entries(counts).map(([noun, count]) => number(count, noun)).join(', ');

export const times = (count) => ['not at all', 'once', 'twice'][count] ?? `${count} times`;
