import sharp from 'sharp';
const [out, heightText, ...files] = process.argv.slice(2);
const height = Number(heightText);
let left = 0;
const parts = [];
for (const file of files) {
  const { data, info } = await sharp(file)
    .resize({ height, fit: 'inside' })
    .toBuffer({ resolveWithObject: true });
  parts.push({ input: data, left, top: 0 });
  left += info.width + 8;
}
await sharp({ create: { width: left, height, channels: 3, background: '#888' } })
  .composite(parts)
  .png()
  .toFile(out);
