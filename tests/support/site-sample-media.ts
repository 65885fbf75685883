import type { FastifyPluginCallback } from 'fastify';
import sharp from 'sharp';
import type { MediaReader } from '../../src-main/posts/rendering/reader.ts';
import { memoryMedia } from './site.ts';

/** Every fourth picture stands upright. */
function sizeOf(number: number): { width: number; height: number } {
  return number % 4 === 3 ? { width: 900, height: 1200 } : { width: 1200, height: 800 };
}

/** Hills at an hour of their own: no two numbers look the same. */
function hills(number: number): string {
  const { width, height } = sizeOf(number);
  const hue = 15 + ((number * 17) % 45);
  const far = height * 0.6;
  const near = height * 0.78;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1">
      <stop offset="0" stop-color="hsl(${hue + 190},45%,38%)"/><stop offset="1" stop-color="hsl(${hue},70%,72%)"/>
    </linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#sky)"/>
    <circle cx="${width * 0.62}" cy="${height * 0.5}" r="${height * 0.1}" fill="hsl(${hue},90%,86%)"/>
    <path d="M0 ${far} Q${width * 0.25} ${far - 160} ${width * 0.5} ${far} T${width} ${far - 40} V${height} H0Z" fill="hsl(${hue + 150},28%,38%)"/>
    <path d="M0 ${near} Q${width * 0.3} ${near + 60} ${width * 0.6} ${near - 50} T${width} ${near} V${height} H0Z" fill="hsl(${hue + 140},32%,22%)"/>
  </svg>`;
}

/** Two seconds of silence. */
export function silence(): Buffer {
  const samples = Buffer.alloc(2 * 8000, 128);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8000, 24);
  header.writeUInt32LE(8000, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

const known = memoryMedia();

/** The files of the sample site, with their true sizes. */
export const sampleMedia: MediaReader = {
  async shown(url) {
    const file = await known.shown(url);
    const number = Number(/\/(\d+)\.webp$/.exec(file?.path ?? '')?.[1]);
    return file && (Number.isNaN(number) ? file : { ...file, ...sizeOf(number) });
  },
};

const drawn = new Map<number, Promise<Buffer>>();

function picture(number: number): Promise<Buffer> {
  const known =
    drawn.get(number) ??
    sharp(Buffer.from(hills(number)))
      .webp()
      .toBuffer();
  drawn.set(number, known);
  return known;
}

/** Serves them. There is no film: players show themselves without one. */
export const sampleMediaRoutes: FastifyPluginCallback = (app, _options, done) => {
  app.get<{ Params: { name: string } }>('/media/:name', async ({ params: { name } }, reply) => {
    if (name.endsWith('.wav')) return reply.type('audio/wav').send(silence());
    const number = Number(/^(\d+)\.webp$/.exec(name)?.[1]);
    if (Number.isNaN(number)) return reply.code(404).send();
    return reply.type('image/webp').send(await picture(number));
  });
  done();
};
