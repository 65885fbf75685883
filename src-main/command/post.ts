import { readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Result } from '../contract/contract.ts';
import { windowUploadBytes } from '../contract/media.ts';
import { plainLine } from '../platform/plain-line.ts';
import type { Command, Server } from './command.ts';
import { CliError, usageError } from './errors.ts';
import { sizeInWords } from './text.ts';

export const post: Command = {
  takes: '[TEXT]',
  help: 'Publish a post and print its address; a TEXT of “-” is read from stdin',
  words: [0, 1],
  options: {
    photo: { value: 'FILE', completes: 'file', help: 'Add a photo; repeat it for more photos' },
    alt: { value: 'TEXT', help: 'Alt text of a photo, in the order of the photos' },
    title: { value: 'TEXT', help: 'Publish an article with this title' },
    markdown: { help: 'Read the text as Markdown' },
    draft: { help: 'Save a draft instead of publishing' },
  },
  async run(server, given, terminal) {
    const files = given.values('photo').map((file) => resolve(terminal.cwd, file));
    const alts = given.values('alt');
    if (alts.length > files.length) throw usageError('There are more alt texts than photos.');
    const [word = ''] = given.words;
    const content = word === '-' ? (await terminal.read()).trim() : word;
    if (content.trim() === '' && files.length === 0)
      throw usageError('Write a text or add a photo: porchlight post "Hello" --photo cat.jpg');
    // Read all photos before the first upload, so that a wrong path leaves no uploaded files behind.
    const read = await Promise.all(files.map(photoIn));
    const photos = [];
    for (const [index, photo] of read.entries())
      photos.push({ url: await upload(server, photo), alt: alts[index] ?? '' });
    const [title] = given.values('title');
    const item = await server.call('posts.create', {
      ...{ text: content, format: given.flag('markdown') ? 'markdown' : 'plain' },
      ...(title !== undefined && { name: title }),
      ...{ photos, categories: [], visibility: 'public' },
      status: given.flag('draft') ? 'draft' : 'published',
    });
    return { json: item, text: `${plainLine(item.url)}\n` };
  },
};

interface Photo {
  readonly file: string;
  readonly bytes: Buffer;
}

async function photoIn(file: string): Promise<Photo> {
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size > windowUploadBytes)
    throw refused(`“${file}” is ${sizeInWords(size)}. The limit is ${sizeInWords(windowUploadBytes)}.`);
  try {
    return { file, bytes: await readFile(file) };
  } catch {
    throw refused(`The file “${file}” can’t be read. Check its path.`);
  }
}

async function upload(server: Server, { file, bytes }: Photo): Promise<string> {
  if (bytes.length === 0) throw refused(`The file “${file}” is empty.`);
  const item: Result<'media.upload'> = await server.call('media.upload', {
    name: basename(file),
    data: bytes.toString('base64'),
  });
  if (item.kind === 'image') return item.url;
  await server.call('media.delete', { url: item.url });
  throw refused(`The file “${file}” isn’t a picture.`);
}

const refused = (message: string) => new CliError('invalid_photo', message);
