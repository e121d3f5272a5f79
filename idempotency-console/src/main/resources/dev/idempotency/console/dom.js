// Elements, and times as people read them.

import { clockSkew } from './api.js';

export const byId = (id) => document.getElementById(id);

/** Creates an element. Text from the server never becomes markup. */
export function element(name, attributes = {}, ...children) {
	const made = document.createElement(name);
	Object.entries(attributes).forEach(([key, value]) => {
		if (key === 'text') {
			made.textContent = value;
		}
		else {
			made.setAttribute(key, value);
		}
	});
	made.append(...children);
	return made;
}

export function setText(target, text) {
	if (target.textContent !== text) {
		target.textContent = text;
	}
}

export function say(text) {
	byId('said').textContent = '';
	// A repeated message is announced again.
	requestAnimationFrame(() => setText(byId('said'), text));
}

const sameDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

const otherDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** A time in the time zone of the browser, with UTC as its title. */
export function time(iso) {
	const at = new Date(iso);
	const today = at.toDateString() === new Date().toDateString();
	return element('time', { datetime: at.toISOString(), title: `${at.toISOString()} (UTC)`,
		text: (today ? sameDay : otherDay).format(at) });
}

/** The age of an event by the server's clock. */
export function age(iso) {
	return seconds((Date.now() + clockSkew - Date.parse(iso)) / 1000);
}

export function seconds(value) {
	const whole = Math.max(0, Math.round(value));
	if (whole < 120) {
		return `${whole} s`;
	}
	if (whole < 7200) {
		return `${Math.round(whole / 60)} min`;
	}
	return (whole < 172800) ? `${Math.round(whole / 3600)} h` : `${Math.round(whole / 86400)} days`;
}

/** The simple names of the exceptions of a failure. */
export const shortError = (names) => names
	&& names.split(/ < | <- /).map((name) => name.split('.').pop()).join(', caused by ');

/**
 * Shows pairs of names and values; values are texts or elements. Unchanged lists are left alone.
 * @param {string[]} alarms the names of values that stand out unless they are 0
 */
export function figures(list, values, alarms = []) {
	const wanted = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
	const text = (value) => value instanceof Node ? value.textContent : String(value);
	const shown = [...list.children].map((pair) => pair.textContent).join('|');
	if (shown !== wanted.map(([name, value]) => name + text(value)).join('|')) {
		list.replaceChildren(...wanted.map(([name, value]) => element('div',
			(alarms.includes(name) && value !== 0) ? { class: 'alarm' } : {}, element('dt', { text: name }),
			element('dd', {}, value instanceof Node ? value : String(value)))));
	}
}

/**
 * Shows a list whose entries have ids. Entries are kept and changed in place, so that nothing takes the focus away;
 * other elements of the list stay where they are.
 * @returns {boolean} whether the focused entry was removed
 */
export function keyed(list, entries, idOf, create, update) {
	const wanted = new Set(entries.map(idOf));
	const entriesOf = () => [...list.children].filter((child) => child.dataset.id);
	const gone = entriesOf().filter((child) => !wanted.has(child.dataset.id));
	const lost = gone.some((child) => child.contains(document.activeElement));
	gone.forEach((child) => child.remove());
	const present = new Map(entriesOf().map((child) => [child.dataset.id, child]));
	entries.forEach((entry, index) => {
		const id = idOf(entry);
		const child = present.get(id) ?? create(entry);
		child.dataset.id = id;
		update(child, entry);
		const there = entriesOf()[index];
		if (there !== child) {
			list.insertBefore(child, there ?? null);
		}
	});
	return lost;
}
