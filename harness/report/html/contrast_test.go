package html

// contrast is given to pages whose colors are checked. A canvas knows how to mix
// whatever the style sheet writes.
const contrast = `
window.mixed = (...colors) => {
	const pen = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
	for (const color of colors) { pen.fillStyle = color; pen.fillRect(0, 0, 1, 1); }
	return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
};
window.luminance = (...colors) => mixed(...colors)
	.map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
	.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
window.contrast = (node) => {
	const behind = [];
	for (let n = node; n; n = n.parentElement) behind.unshift(getComputedStyle(n).backgroundColor);
	const back = luminance(...behind), front = luminance(...behind, getComputedStyle(node).color);
	return (Math.max(back, front) + 0.05) / (Math.min(back, front) + 0.05);
};
0`
