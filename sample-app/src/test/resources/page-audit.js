// What can be checked of a page for those who do not see it well. Each function gives what is wrong, in words.

const visible = (element) => element.checkVisibility() && element.getBoundingClientRect().right > 0;

const all = () => [...document.body.querySelectorAll('*')].filter(visible);

function channels(colour) {
	const [red, green, blue, alpha = 1] = colour.match(/[\d.]+/g).map(Number);
	return { rgb: [red, green, blue], alpha };
}

// WCAG 2.2, relative luminance.
function luminance({ rgb }) {
	const [red, green, blue] = rgb.map((value) => value / 255)
		.map((value) => (value <= 0.04045) ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function background(element) {
	for (let at = element; at; at = at.parentElement) {
		const colour = channels(getComputedStyle(at).backgroundColor);
		if (colour.alpha === 1) {
			return colour;
		}
	}
	return { rgb: [255, 255, 255], alpha: 1 };
}

function contrast(element) {
	const [light, dark] = [luminance(channels(getComputedStyle(element).color)), luminance(background(element))]
		.sort((one, other) => other - one);
	return (light + 0.05) / (dark + 0.05);
}

const hasText = (element) => element.value
	|| [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());

function weakContrasts() {
	return all().filter(hasText).filter((element) => contrast(element) < 4.5)
		.map((element) => `${element.tagName} "${element.textContent.trim().slice(0, 40)}": ${contrast(element).toFixed(2)}`);
}

function nameless() {
	return [...document.body.querySelectorAll('input, select, textarea, button, a')]
		.filter((element) => !(element.labels && element.labels.length > 0) && !element.textContent.trim()
			&& !element.getAttribute('aria-label'))
		.map((element) => element.outerHTML);
}

function brokenReferences() {
	const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
	const doubled = ids.filter((id, i) => ids.indexOf(id) !== i);
	const dangling = [...document.querySelectorAll('[for], [aria-describedby], [aria-labelledby]')]
		.flatMap((element) => ['for', 'aria-describedby', 'aria-labelledby'].map((name) => element.getAttribute(name)))
		.filter((id) => id && !document.getElementById(id));
	return [...doubled, ...dangling];
}
