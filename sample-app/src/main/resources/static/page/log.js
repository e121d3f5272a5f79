// The log of requests and answers, in words.

const list = document.getElementById('log');

const REASONS = {
	200: 'OK', 201: 'Created', 400: 'Bad Request', 401: 'Unauthorized', 402: 'Payment Required', 403: 'Forbidden',
	404: 'Not Found', 409: 'Conflict', 413: 'Content Too Large', 415: 'Unsupported Media Type',
	422: 'Unprocessable Content', 500: 'Internal Server Error', 503: 'Service Unavailable'
};

export function element(name, { text, className, ...attributes } = {}, ...children) {
	const made = document.createElement(name);
	if (className) {
		made.className = className;
	}
	if (text !== undefined) {
		made.textContent = text;
	}
	Object.entries(attributes).forEach(([attribute, value]) => made.setAttribute(attribute, value));
	made.append(...children);
	return made;
}

function add(item) {
	document.getElementById('empty').hidden = true;
	list.append(item);
	item.scrollIntoView({ block: 'nearest' });
}

export function clear() {
	last = undefined;
	list.replaceChildren();
	document.getElementById('empty').hidden = false;
}

/** Requests are counted from the heading on; notes are not. */
let count = 0;

/** The last entry, until something else is logged: the same answer again is counted there. */
let last;

export function heading(text) {
	count = 0;
	last = undefined;
	add(element('li', { className: 'scenario', text }));
}

export function note(text) {
	last = undefined;
	add(element('li', { className: 'note', text }));
}

export function verdict(right, text) {
	last = undefined;
	add(element('li', { className: right ? 'verdict' : 'verdict wrong', text }));
}

export function exchange(request, answer) {
	count++;
	const same = JSON.stringify([request, answer]);
	if (last?.same === same) {
		last.times++;
		last.item.querySelector('.times').textContent = `, ${last.times} times`;
		return;
	}
	const item = element('li', { className: 'exchange', value: count, 'data-status': answer.status },
		element('span', { text: `${request.user} sent POST ${request.path} with key ` }),
		element('code', { text: short(request.key), title: request.key }), element('span', { className: 'times' }),
		'. ', element('span', { className: `outcome ${tone(answer)}`, text: outcome(answer) }));
	if (!answer.lost) {
		item.append(element('pre', { text: pretty(answer) }));
	}
	last = { same, item, times: 1 };
	add(item);
}

const short = (key) => (key.length > 12) ? `${key.slice(0, 8)}…` : key;

const pretty = ({ body, text }) => (body === undefined) ? text : JSON.stringify(body, null, 2);

function tone(answer) {
	if (answer.lost) {
		return 'lost';
	}
	return (answer.status < 300) ? 'ok' : 'refused';
}

function outcome(answer) {
	if (answer.lost) {
		return 'The connection was closed. No answer.';
	}
	const status = `${answer.status} ${REASONS[answer.status] ?? ''}`.trim();
	if (answer.replayed) {
		return `${status}, Idempotent-Replayed: true: the stored answer.`;
	}
	if (answer.retryAfter > 0) {
		return `${status}, Retry-After: ${answer.retryAfter}.`;
	}
	return `${status}.`;
}
