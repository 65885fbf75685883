// Draws icon.png, icons/ (for Linux) and the tray's images: `node resources/render.mjs` after a change here or in icon.svg.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';

const folder = import.meta.dirname;
const roof = 'M3 6.6Q8 -0.6 13 6.6z';
const glass = 'M4.2 7.4h7.6l-1.1 5.6H5.3z';
const foot = 'M5 13.8h6l-.7 1.7H5.7z';

// The states differ in shape, not only in colour: a full glass, an empty one, one with an exclamation mark.
const marks = {
  on: '',
  off: '',
  trouble: '<path d="M8 8.1v2.6M8 11.9v.2" stroke="INK" stroke-width="1.4" stroke-linecap="round"/>',
};

// The frame is a grey of middle lightness, to be seen on dark panels and on light ones.
const colours = {
  on: { frame: '#8a8f9c', fill: '#f2a93b', ink: '#f2a93b' },
  off: { frame: '#8a8f9c', fill: 'none', ink: '#8a8f9c' },
  trouble: { frame: '#8a8f9c', fill: '#d9483b', ink: '#ffffff' },
};

function trayImage(state) {
  const { frame, fill, ink } = colours[state];
  return svg(`<path d="${roof}" fill="${frame}"/><path d="${foot}" fill="${frame}"/>
    <path d="${glass}" fill="${fill}" stroke="${state === 'off' ? frame : fill}" stroke-width="1" stroke-linejoin="round"/>
    ${marks[state].replaceAll('INK', ink)}`);
}

// Black and transparent: macOS gives it the colour of the menu bar.
function templateImage(state) {
  return svg(`<mask id="cut"><rect width="16" height="16" fill="#fff"/>${marks[state].replaceAll('INK', '#000')}</mask>
    <path d="${roof}"/><path d="${foot}"/>
    <path d="${glass}" fill="${state === 'off' ? 'none' : '#000'}" stroke="#000" stroke-width="1" stroke-linejoin="round" mask="url(#cut)"/>`);
}

function svg(content) {
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${content}</svg>`);
}

async function render(source, size, name) {
  // Drawn at the density of the result: an enlarged small picture would be blurred.
  const { width = size } = await sharp(source).metadata();
  await sharp(source, { density: (72 * size) / width })
    .resize(size, size)
    .png({ compressionLevel: 9 })
    .toFile(join(folder, name));
}

const icon = await readFile(join(folder, 'icon.svg'));
await render(icon, 512, 'icon.png');
await mkdir(join(folder, 'icons'), { recursive: true });
for (const size of [16, 24, 32, 48, 64, 128, 256, 512]) await render(icon, size, `icons/${size}x${size}.png`);
// On the taskbar's button of Windows, where a number would not be readable.
await render(svg('<circle cx="8" cy="8" r="7" fill="#f2a93b" stroke="#1c1917"/>'), 16, 'badge.png');
for (const state of ['on', 'off', 'trouble']) {
  await render(trayImage(state), 16, `tray-${state}.png`);
  await render(trayImage(state), 32, `tray-${state}@2x.png`);
  await render(templateImage(state), 16, `tray-${state}Template.png`);
  await render(templateImage(state), 32, `tray-${state}Template@2x.png`);
}
