import { crc32, deflateSync } from 'node:zlib';

type Color = readonly [red: number, green: number, blue: number];

const [width, height] = [640, 420];

const sunColor: Color = [255, 244, 214];

/** The hues of the sky and the hills for noon, evening, spring, dusk, autumn, a clear morning and a hazy morning. */
const palettes = [
  [208, 92],
  [28, 60],
  [198, 78],
  [262, 215],
  [36, 24],
  [215, 105],
  [190, 150],
] as const;

/** Draws a landscape as a PNG: a sky, a sun and three ranges of hills. Each `number` gives a different landscape. */
export function landscape(number: number): Buffer {
  const [sky, ground] = palettes[number % palettes.length] ?? palettes[0];
  const top = colorOf(sky, 0.5, 0.62);
  const bottom = colorOf((sky + 20) % 360, 0.55, 0.88);
  const hills = [0.58, 0.44, 0.3].map((light, range) => colorOf(ground + range * 8, 0.26, light));
  const sun = { x: width * (0.2 + ((number * 13) % 60) / 100), y: height * 0.28, size: 34 };
  // Compute the hills once per column. Computing them once per pixel would block the main thread for a second.
  const horizons = Array.from({ length: width }, (_, x) =>
    hills.map((_color, range) => horizon(x, range, number)),
  );
  const lines = Buffer.alloc(height * (1 + width * 3));
  let at = 0;
  for (let y = 0; y < height; y += 1) {
    at += 1; // Skips the line's filter byte, which stays 0.
    const sky = mix(top, bottom, y / height);
    for (const [x, ranges] of horizons.entries()) {
      const hill = hills[ranges.findLastIndex((start) => y > start)];
      const color = hill ?? (Math.hypot(x - sun.x, y - sun.y) < sun.size ? sunColor : sky);
      for (const channel of color) lines[at++] = channel;
    }
  }
  return png(lines);
}

/** Returns the top edge of a range of hills at column `x`, in pixels from the top of the picture. */
function horizon(x: number, range: number, number: number): number {
  const wave = Math.sin(x / (90 + range * 40) + number * 2 + range) * 26 + Math.sin(x / 37 + number) * 8;
  return height * (0.52 + range * 0.14) + wave;
}

/** Draws a person's picture as an SVG: head and shoulders. `hue`: in degrees. */
export function portraitSvg(hue: number): string {
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" viewBox="0 0 128 128">',
    `<rect width="128" height="128" fill="hsl(${hue},45%,55%)"/>`,
    `<circle cx="64" cy="50" r="24" fill="hsl(${hue},40%,85%)"/>`,
    `<circle cx="64" cy="126" r="46" fill="hsl(${hue},40%,85%)"/></svg>`,
  ].join('');
}

/** Draws an app's logo as an SVG: two overlapping disks. `hue`: in degrees. */
export function logo(hue: number): string {
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" viewBox="0 0 128 128">',
    `<rect width="128" height="128" rx="28" fill="hsl(${hue},50%,38%)"/>`,
    `<circle cx="50" cy="64" r="28" fill="hsl(${hue},60%,88%)"/>`,
    `<circle cx="80" cy="64" r="28" fill="hsl(${(hue + 60) % 360},70%,68%)" fill-opacity="0.85"/></svg>`,
  ].join('');
}

function mix(from: Color, to: Color, part: number): Color {
  const channel = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * part);
  return [channel(0), channel(1), channel(2)];
}

/** Converts hue (degrees), saturation and lightness (0 to 1) to RGB (CSS Color 4, section 7). */
function colorOf(hue: number, saturation: number, lightness: number): Color {
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12;
    const spread = saturation * Math.min(lightness, 1 - lightness);
    return Math.round(255 * (lightness - spread * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

/** Encodes lines of RGB pixels as a PNG (PNG specification, section 5). Each line starts with its filter byte. */
function png(lines: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8); // 8 bits, RGB, no interlacing
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(lines, { level: 6 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
