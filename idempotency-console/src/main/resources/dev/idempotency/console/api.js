// Calls the endpoints next to this page. Their paths are relative, so that they work behind any prefix.

const page = document.body.dataset.console;

/** The settings of the page: endpoints by their ids, features, the operator's name, the token for actions. */
export let settings = { endpoints: {}, features: [] };

/** The milliseconds by which the server's clock is ahead of the browser's. */
export let clockSkew = 0;

/**
 * The answer of an endpoint.
 * @typedef {{status: number, body: any, problem: string|undefined}} Answer
 */

/** @returns {Promise<Answer>} */
async function send(path, options = {}) {
	// fetch refuses an address with a name and a password.
	const address = new URL(path, document.baseURI);
	address.username = address.password = '';
	let response;
	try {
		response = await fetch(address, { cache: 'no-store', credentials: 'same-origin', ...options });
	}
	catch {
		return { status: 0, problem: 'The server does not answer.' };
	}
	if (response.redirected || response.status === 401) {
		return { status: 401, problem: 'You are signed out. Reload the page to sign in.' };
	}
	const date = Date.parse(response.headers.get('Date') ?? '');
	if (!Number.isNaN(date)) {
		clockSkew = date - Date.now();
	}
	const text = await response.text().catch(() => '');
	return { status: response.status, body: parse(text), problem: problem(response.status, parse(text)) };
}

function parse(text) {
	try {
		return JSON.parse(text);
	}
	catch {
		return undefined;
	}
}

function problem(status, body) {
	if (status < 400) {
		return undefined;
	}
	if (status === 403) {
		return 'Your account may not do this.';
	}
	if (status >= 502 && status <= 504) {
		return 'The server does not answer.';
	}
	return body?.detail ?? body?.message ?? `The endpoint answered ${status}.`;
}

export async function loadSettings() {
	const answer = await send(`${page}/settings`, { headers: { Accept: 'application/json' } });
	if (answer.status === 200 && answer.body) {
		settings = answer.body;
	}
	return answer;
}

export const exposed = (id) => settings.endpoints[id] !== undefined;

export const writable = (id) => settings.endpoints[id]?.writable === true;

/** Whether the application has what an endpoint shows. */
export const present = (id) => settings.features.includes(id);

export const notExposed = (id) => `The endpoint ${id} is not exposed: add it to management.endpoints.web.exposure.include.`;

/** The reason why an endpoint allows no actions, empty if it does. */
export function whyReadOnly(id) {
	if (!exposed(id)) {
		return notExposed(id);
	}
	return writable(id) ? '' : `Read-only: actions need management.endpoint.${id}.access=unrestricted.`;
}

export const get = (id, path = '') => send(settings.endpoints[id].path + path, { headers: { Accept: 'application/json' } });

/** Sends JSON, which no form of another site can send, with the session's current token. */
export async function post(id, path, body = {}) {
	const fresh = await loadSettings();
	if (fresh.status !== 200) {
		return fresh;
	}
	const headers = { Accept: 'application/json', 'Content-Type': 'application/json', ...settings.csrf };
	return send(settings.endpoints[id].path + path, { method: 'POST', headers, body: JSON.stringify(body) });
}
