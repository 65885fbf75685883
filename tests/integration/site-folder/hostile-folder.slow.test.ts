import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openFolderReader } from '../../../src-main/platform/folder-files.ts';
import { openReading } from '../../../src-main/app/reading.ts';
import { detectSite } from '../../../src-main/site-folder/detect.ts';
import { readFolderFacts } from '../../../src-main/site-folder/facts.ts';
import type { ReadFolderText } from '../../../src-main/site-folder/folder-jobs.ts';
import type { Generator } from '../../../src-main/contract/site-folder.ts';
import { patience } from '../../support/patience.ts';
import { adoptFolder, adoptingSettings, writeTree } from '../../support/adoption.ts';
import { recordsIn } from '../../support/records-in.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

vi.setConfig({ testTimeout: 180_000 });

/** YAML of 4,000 characters that keeps its parser busy for days. */
const hostileYaml = '? '.repeat(2000);
const hostilePost = `---\n${hostileYaml}\n---\nWords\n`;
const goodPost = (title: string) => `---\ntitle: ${title}\ndate: 2026-01-01\n---\nWords\n`;

const reading = openReading({ clock: () => 0, deadlineMs: 500 });
afterAll(() => reading.close());

/** Reads files in threads, and notes the names of the files. */
function noting(): { read: ReadFolderText; names: string[] } {
  const names: string[] = [];
  const opened = openReading({ clock: () => 0, deadlineMs: 500 });
  onTestFinished(() => opened.close());
  const read = opened.documents.ofFolder('scan');
  return {
    names,
    read: (job, input, name) => {
      names.push(name);
      return read(job, input, name);
    },
  };
}

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeTree(folder, files);
  return folder;
}

describe('a hostile configuration', () => {
  test.each([
    ['_config.yml', 'jekyll'],
    ['hugo.yaml', 'hugo'],
    ['config.yml', 'hugo'],
  ] as const)('%s is named in a warning when the folder is chosen', async (file, generator) => {
    const folder = await folderWith({ [file]: hostileYaml });
    const found = await detectSite(openFolderReader(folder), reading.documents.ofFolder('owner'));
    expect(found).toMatchObject({ generator, configFile: file });
    expect(found.warnings).toContain(`${file} takes too long to read.`);
  });

  test('a data file of Eleventy is named, too', async () => {
    const folder = await folderWith({ '.eleventy.js': '', '_data/site.yaml': hostileYaml });
    const found = await detectSite(openFolderReader(folder), reading.documents.ofFolder('owner'));
    expect(found.warnings).toContain('_data/site.yaml takes too long to read.');
  });

  test.each([
    ['jekyll', { '_config.yml': hostileYaml }, { hasRedirectFrom: false }],
    ['jekyll', { '_config.yml': 'a: 1', Gemfile: '\n'.repeat(900_000) }, { hasRedirectFrom: false }],
    ['jekyll', { Gemfile: 'group :jekyll_plugins do\n'.repeat(30_000) }, { hasRedirectFrom: false }],
    ['astro', { '.htaccess': '\n'.repeat(900_000) }, {}],
    ['hugo', { 'netlify.toml': 'hugo'.repeat(200_000) }, {}],
  ] satisfies [Generator, Record<string, string>, object][])(
    'of %s leaves its facts unknown: %o',
    async (generator, files, facts) => {
      const folder = await folderWith(files);
      const read = reading.documents.ofFolder('site');
      expect(await readFolderFacts(openFolderReader(folder), generator, read)).toEqual(facts);
    },
  );
});

describe('a hostile post', () => {
  const bad = 'content/posts/bad.md';
  const url = (name: string) => `https://me.example/posts/${name}/`;
  const files = { 'hugo.toml': '', [bad]: hostilePost, 'content/posts/good.md': goodPost('Good') };

  test('a hostile post is skipped and named, while the others are adopted, and is not tried again after a restart', async () => {
    const folder = await folderWith(files);
    const dir = await temporaryFolder();
    const before = await recordsIn(dir);
    const settings = adoptingSettings(folder, 'hugo');
    const first = await adoptFolder(settings, { records: before, ...noting() });
    const summary = {
      posts: 1,
      problems: [{ words: 'It takes too long to read.', files: 1, example: bad }],
      isCut: false,
    };
    expect(first.adopted.summary()).toEqual(summary);
    expect(await first.adopted.at(url('good'))).toMatchObject({ properties: { name: ['Good'] } });
    await before.close();

    const { read, names } = noting();
    const second = await adoptFolder(settings, { records: await recordsIn(dir), read });
    expect(names).toEqual([]);
    expect(second.adopted.summary()).toEqual(summary);

    await writeFile(join(folder, bad), goodPost('Better'));
    await second.adopted.refresh();
    expect(names).toEqual([bad]);
    expect(second.adopted.summary()).toEqual({ posts: 2, problems: [], isCut: false });
  });

  test('that was harmless at the last comparison is forgotten by the first request', async () => {
    const folder = await folderWith({ ...files, [bad]: goodPost('Not yet') });
    const { read, names } = noting();
    const { adopted } = await adoptFolder(adoptingSettings(folder, 'hugo'), { read });
    expect(await adopted.at(url('bad'))).toMatchObject({ properties: { name: ['Not yet'] } });
    await writeFile(join(folder, bad), hostilePost);
    names.length = 0;
    expect(await adopted.at(url('bad'))).toBeUndefined();
    expect(await adopted.at(url('bad'))).toBeUndefined();
    await adopted.refresh();
    expect(names).toEqual([bad]);
  });

  test.each([
    ['aliases that multiply', `a: &a [x, x, x, x, x, x, x, x, x]\n${multiplied()}`],
    ['nesting', `a: ${'['.repeat(30_000)}`],
    ['maps in flow style', `a: ${'{a: '.repeat(15_000)}`],
    ['an anchor that contains itself', 'a: &a [*a]'],
    ['keys that are maps', `${'? {a: b}\n: '.repeat(5000)}x`],
  ])('with %s does no harm', async (_, yaml) => {
    const folder = await folderWith({ ...files, [bad]: `---\n${yaml}\n---\n` });
    const { adopted } = await adoptFolder(adoptingSettings(folder, 'hugo'), noting());
    // On a busy computer, no thread may have had the time to read the file. It is read again then.
    const known = async () => {
      await adopted.refresh();
      const { posts, problems } = adopted.summary();
      return posts + problems.reduce((sum, problem) => sum + problem.files, 0);
    };
    await expect.poll(known, patience).toBe(2);
    expect(await adopted.at(url('good'))).toBeDefined();
  });
});

/** Each line refers nine times to the line before. */
function multiplied(): string {
  return Array.from('bcdefghi', (name, at) => {
    const before = `*${String.fromCharCode(97 + at)}`;
    return `${name}: &${name} [${Array.from({ length: 9 }, () => before).join(', ')}]\n`;
  }).join('');
}
