// The plots of the last minutes, from the meters of the node that answers. The samples exist in this page only.

import { exposed, get, notExposed } from './api.js';
import { byId, element, setText } from './dom.js';

const WINDOW_MILLIS = 300_000;

const WIDTH = 300;

const HEIGHT = 60;

/** Half of a bar, which is one sample wide. */
const HALF_BAR = 2.5;

const SVG = 'http://www.w3.org/2000/svg';

const OUTCOMES = [['executed', 'Executed'], ['replayed', 'Replayed'], ['in_progress', 'Conflicts'],
	['mismatched', 'Mismatches']];

const samples = [];

export async function refreshPlots() {
	const missing = byId('plots-missing');
	missing.hidden = exposed('metrics');
	if (!exposed('metrics')) {
		setText(missing, notExposed('metrics'));
		return undefined;
	}
	const answers = await Promise.all(OUTCOMES.map(([tag]) => get('metrics', `/idempotency.requests?tag=outcome:${tag}`)));
	const failed = answers.find(({ status }) => status !== 200 && status !== 404);
	if (failed) {
		return failed;
	}
	const now = Date.now();
	samples.push({ at: now, counts: answers.map(count) });
	while (samples[0].at < now - WINDOW_MILLIS) {
		samples.shift();
	}
	OUTCOMES.forEach(([tag, label], index) => plot(tag, label, index, now));
	return undefined;
}

/** A meter has one value as a counter, and several as a timer. A missing meter has counted nothing. */
function count({ status, body }) {
	return (status === 200) ? body.measurements.find(({ statistic }) => statistic === 'COUNT')?.value ?? 0 : 0;
}

/** A count that falls has started again with its node. */
function steps(index) {
	return samples.slice(1).map((sample, i) => {
		const before = samples[i].counts[index];
		const now = sample.counts[index];
		return { at: sample.at, more: (now < before) ? now : now - before };
	});
}

function plot(tag, label, index, now) {
	const figure = byId(`plot-${tag}`) ?? create(tag, label);
	const rises = steps(index);
	const sum = rises.reduce((all, { more }) => all + more, 0);
	const most = Math.max(1, ...rises.map(({ more }) => more));
	const minute = rises.filter(({ at }) => at > now - 60_000).reduce((all, { more }) => all + more, 0);
	const x = (at) => WIDTH - (now - at) / WINDOW_MILLIS * WIDTH - HALF_BAR;
	const bars = rises.filter(({ more }) => more > 0).map(({ at, more }) => {
		const height = Math.max(2, more / most * HEIGHT);
		return `M${x(at).toFixed(1)} ${HEIGHT}v${-height.toFixed(1)}`;
	});
	figure.querySelector('svg').toggleAttribute('hidden', bars.length === 0);
	figure.querySelector('.none').hidden = bars.length > 0;
	setText(figure.querySelector('.none'), (samples.at(-1).counts[index] === 0) ? 'No requests yet'
		: 'None while this page was open');
	figure.querySelector('path').setAttribute('d', bars.join(''));
	figure.querySelector('svg').setAttribute('aria-label',
		`${label}: ${sum} in ${Math.round((now - samples[0].at) / 1000)} seconds, ${minute} in the last minute`);
	setText(figure.querySelector('.sum'), String(sum));
	setText(figure.querySelector('.rate'), `${minute} in the last minute, ${samples.at(-1).counts[index]} in total`);
}

function create(tag, label) {
	const svg = document.createElementNS(SVG, 'svg');
	svg.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`);
	svg.setAttribute('preserveAspectRatio', 'none');
	svg.setAttribute('role', 'img');
	svg.append(document.createElementNS(SVG, 'path'));
	const figure = element('figure', { id: `plot-${tag}`, class: `plot plot-${tag}` },
		element('figcaption', {}, element('span', { text: label }), element('span', { class: 'sum' })), svg,
		element('p', { class: 'none hint' }), element('p', { class: 'rate hint' }));
	byId('plots').append(figure);
	return figure;
}
