// Asks before anything is changed, and reports the result.

import { post, settings } from './api.js';
import { byId, say, setText } from './dom.js';

/**
 * Asks the operator.
 * @returns {Promise<{status: number, detail: string}|undefined>} the input, undefined if the dialog was cancelled
 */
export function confirm({ title, about, yes, answer = false }) {
	const dialog = byId('confirm');
	setText(byId('confirm-title'), title);
	setText(byId('confirm-about'), about);
	setText(byId('confirm-yes'), yes);
	setText(byId('confirm-who'), settings.operator ? `This is logged with your name, ${settings.operator}.`
		: 'This is logged.');
	byId('confirm-answer').hidden = !answer;
	// A hidden field must not prevent the submission of the form.
	byId('status').disabled = byId('detail').disabled = !answer;
	dialog.showModal();
	byId('confirm-no').focus();
	return new Promise((resolve) => {
		byId('confirm-form').onsubmit = (event) => {
			event.preventDefault();
			dialog.onclose = () => resolve({ status: Number(byId('status').value), detail: byId('detail').value });
			dialog.close();
		};
		byId('confirm-no').onclick = () => dialog.close();
		dialog.onclose = () => resolve(undefined);
	});
}

export async function act(id, path, body, done) {
	const answer = await post(id, path, body);
	const changed = answer.status >= 200 && answer.status < 300;
	const { state, detail } = answer.body ?? {};
	say(changed ? done : `Not done: ${detail ? `${detail}.` : state ? `the request is now ${state}.` : answer.problem}`);
	return answer;
}
