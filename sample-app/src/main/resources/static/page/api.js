// The requests of this page. Passwords are passed in and not stored.

/**
 * An answer, or the lack of one.
 * @typedef {{lost: boolean, status: number, replayed: boolean, retryAfter: number, body: any, text: string}} Answer
 */

const basic = ({ name, password }) => 'Basic ' + btoa(`${name}:${password}`);

/** @returns {Promise<Answer>} */
export async function call(user, method, path, { key, body, fault } = {}) {
	const headers = { Authorization: basic(user), Accept: 'application/json, application/problem+json, */*' };
	if (key !== undefined) {
		headers['Idempotency-Key'] = key;
	}
	if (fault) {
		headers['Demo-Fault'] = fault;
	}
	if (body !== undefined) {
		headers['Content-Type'] = 'application/json';
	}
	try {
		// Without the browser's own credentials: a 401 must not open its password dialog.
		const response = await fetch(path, { method, headers, body, credentials: 'omit', cache: 'no-store' });
		const text = await response.text();
		return {
			lost: false,
			status: response.status,
			replayed: response.headers.get('Idempotent-Replayed') === 'true',
			retryAfter: Number(response.headers.get('Retry-After') ?? 0),
			body: parse(text),
			text
		};
	}
	catch {
		return { lost: true, status: 0, replayed: false, retryAfter: 0, body: undefined, text: '' };
	}
}

export function parse(text) {
	try {
		return JSON.parse(text);
	}
	catch {
		return undefined;
	}
}

export const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
