// Runs a scenario: sends its requests, logs them, and counts the results.

import { call, parse, pause } from './api.js';
import { inWords, look, made, times } from './operations.js';
import * as log from './log.js';

/** The time that a scenario waits for leases, the completer and receipts. */
const PATIENCE_SECONDS = 90;

const mayPass = (answer) => answer.lost || [409, 503].includes(answer.status);

class Try {

	constructor({ user, operation, key, body, onProvider, onProgress }) {
		Object.assign(this, { user, operation, key, body, onProvider, onProgress, sent: 0, answers: [] });
	}

	call = (method, path, options) => call(this.user, method, path, options);

	async send({ body = this.body, fault } = {}) {
		this.sent++;
		const answer = await this.call('POST', this.operation.path, { key: this.key, body, fault });
		this.answers.push(answer);
		log.exchange({ user: this.user.name, path: this.operation.path, key: this.key }, answer);
		return answer;
	}

	async sendUntilDone() {
		const end = Date.now() + PATIENCE_SECONDS * 1000;
		let answer = await this.send();
		while (mayPass(answer) && Date.now() < end) {
			this.onProgress(`Waiting ${Math.max(answer.retryAfter, 1)} s, as Retry-After asks…`);
			await pause(Math.max(answer.retryAfter, 1));
			answer = await this.send();
		}
	}

	async untilListed(status) {
		const end = Date.now() + PATIENCE_SECONDS * 1000;
		const isNew = (entry) => !this.before[this.operation.noun].has(entry.id) && entry.status === status;
		this.onProgress('Waiting for the completer…');
		while (Date.now() < end && !(await this.call('GET', this.operation.list)).body.some(isNew)) {
			await pause(1);
		}
	}

	async provider(mode) {
		await this.onProvider(mode);
	}

	note(text) {
		log.note(text);
	}

	lostAsAsked(answer) {
		if (!answer.lost) {
			log.note('The server did not inject the fault: is sample.demo.enabled false?');
		}
	}

	changed() {
		return JSON.stringify(this.operation.change(parse(this.body)));
	}

	withCard(cardToken) {
		return JSON.stringify({ ...parse(this.body), cardToken });
	}

	async evidence() {
		const succeeded = this.answers.filter((answer) => answer.status === 201);
		const distinct = new Set(succeeded.map((answer) => answer.text)).size;
		const counts = await this.settled(distinct > 0);
		const right = distinct <= 1 && Object.values(counts).every((count) => count <= 1);
		log.verdict(right, this.words(counts, succeeded, distinct));
	}

	/** A receipt is sent after the answer. */
	async settled(succeeded) {
		const end = Date.now() + PATIENCE_SECONDS * 1000;
		let counts = made(this.before, await look(this.call, this.operation));
		while (succeeded && counts.ride === 1 && counts.receipt === 0 && Date.now() < end) {
			this.onProgress('Waiting for the receipt…');
			await pause(0.3);
			counts = made(this.before, await look(this.call, this.operation));
		}
		return counts;
	}

	words(counts, succeeded, distinct) {
		const sent = `Sent ${times(this.sent)}`;
		if (!this.operation.list) {
			return `${sent}, made ${times(distinct)}, by the ids in the answers.`;
		}
		if (succeeded.length === 0) {
			return `${sent}, no success. New: ${inWords(counts)}.`;
		}
		return (counts[this.operation.noun] === 0 && succeeded.every((answer) => answer.replayed))
			? `${sent}, made earlier: nothing new.`
			: `${sent}, made ${times(counts[this.operation.noun])}: ${inWords(counts)}.`;
	}

}

/** Runs a scenario to its end. */
export async function run(scenario, setting) {
	const attempt = new Try(setting);
	log.heading(scenario.label);
	attempt.before = await look(attempt.call, attempt.operation);
	await scenario.run(attempt);
	await attempt.evidence();
}
