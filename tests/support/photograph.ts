import sharp from 'sharp';

/** The coarseness of the shapes and textures of a photo, in pixels of its width, and how strong each is. */
const layers = [
  [16, 55],
  [64, 30],
  [256, 18],
  [1000, 12],
] as const;

/**
 * Returns a JPEG that compresses like a photo: large shapes, texture, and the noise of a sensor. A gradient would be
 * much smaller.
 */
export async function photograph(width = 4000, height = 3000): Promise<Buffer> {
  const small = { width: 1000, height: Math.round((1000 * height) / width), channels: 3 } as const;
  const sum = new Float32Array(small.width * small.height * 3).fill(128);
  for (const [across, strength] of layers) {
    const down = Math.max(1, Math.round((across * height) / width));
    const grown = await sharp(grains(across * down * 3), {
      raw: { width: across, height: down, channels: 3 },
    })
      .resize(small.width, small.height, { kernel: 'cubic', fit: 'fill' })
      .raw()
      .toBuffer();
    for (let at = 0; at < sum.length; at += 1)
      sum[at] = (sum[at] ?? 0) + (((grown[at] ?? 0) - 128) / 74) * strength;
  }
  const shapes = await sharp(Buffer.from(Uint8ClampedArray.from(sum).buffer), { raw: small })
    .resize(width, height, { kernel: 'cubic' })
    .png({ compressionLevel: 0 })
    .toBuffer();
  const noise = { type: 'gaussian', mean: 128, sigma: 8 } as const;
  const sensor = await sharp({ create: { width, height, channels: 3, background: '#888', noise } })
    .png({ compressionLevel: 0 })
    .toBuffer();
  return sharp(shapes)
    .composite([{ input: sensor, blend: 'overlay' }])
    .jpeg({ quality: 88 })
    .toBuffer();
}

function grains(count: number): Buffer {
  const bytes = Buffer.alloc(count);
  let state = 1;
  for (let at = 0; at < count; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}
