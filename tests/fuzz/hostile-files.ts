import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { forgedBackup } from '../support/forged-backup.ts';
import { sampleArchive } from '../support/post-archives.ts';
import { rawZip } from '../support/raw-zip.ts';
import { changedBytes, changedText, oddText } from './odd-text.ts';
import { randomOfRequest, type Random } from './random.ts';

/** The kinds of files that the owner may be given by somebody else, each in a folder of its own. */
export const fileKinds = ['folders', 'archives', 'backups'] as const;
/** How many there are of each kind. */
export const filesOfKind = 40;

const samples = ['markdown', 'mastodon', 'microblog', 'twitter', 'wordpress.xml'] as const;
const frontMatters = [
  '---\ntitle: Fog\ndate: 2026-01-01\ntags: [a, b]\n---\nWords\n',
  '+++\ntitle = "Fog"\ndate = 2026-01-01T00:00:00Z\n[taxonomies]\ntags = ["a"]\n+++\nWords\n',
  '{"title": "Fog", "date": "2026-01-01"}\nWords\n',
];
const folderFiles: Readonly<Record<string, string>> = {
  '_config.yml': 'title: Site\nurl: https://owner.example\npermalink: /:year/:title/\n',
  'hugo.toml': 'baseURL = "https://owner.example/"\ntitle = "Site"\n[permalinks]\nposts = "/:year/:slug/"\n',
  'config.toml': 'base_url = "https://owner.example"\n',
  '.eleventy.js': 'module.exports = () => ({ dir: { input: "src" } });\n',
  'astro.config.mjs': 'export default { site: "https://owner.example" };\n',
  'package.json': '{"dependencies":{"astro":"5.0.0"}}',
  '_data/site.json': '{"permalink": "/x/"}',
  '.git/config': '[core]\n\tbare = false\n[remote "origin"]\n\turl = https://git.example/site.git\n',
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.gitattributes': '*.md filter=lfs\n',
};
const documents: Readonly<Record<string, string>> = {
  'settings.json': '{"format":1,"site":{"title":"Home"}}',
  'profile.json': '{"format":1,"name":"Ada"}',
  'records.ndjson': '{"table":"blocked_sites","row":{"domain":"a.example"}}\n',
  'posts/2026/11/fog.json':
    '{"format":3,"post":{"type":["h-entry"],"properties":{"content":["Words"]},"commands":{},"status":"published","visibility":"public","createdAt":"2026-11-20T10:00:00.000Z","updatedAt":"2026-11-20T10:00:00.000Z","deletedAt":null},"movedTo":null,"movedFrom":null,"history":[],"edits":null}',
  '../outside.json': '{}',
};

/** Writes the files of a seed into `dir`: `folders/0`, `archives/0.zip`, `backups/0.zip` and so on. */
export async function writeHostileFiles(dir: string, seed: number): Promise<void> {
  for (const kind of fileKinds) await mkdir(path.join(dir, kind), { recursive: true });
  for (let number = 0; number < filesOfKind; number += 1) {
    const random = (kind: number) => randomOfRequest(seed, -1 - number * fileKinds.length - kind);
    await writeFolder(path.join(dir, 'folders', String(number)), random(0));
    await writeArchive(path.join(dir, 'archives', `${number}.zip`), random(1));
    await writeBackup(path.join(dir, 'backups', `${number}.zip`), random(2));
  }
}

/** A text with changes, with much of one of its parts, or another one. */
function hostile(random: Random, text: string): string {
  const kind = random.next();
  if (kind < 0.3) return text;
  if (kind < 0.6) return changedText(random, text);
  if (kind < 0.75) return oddText(random);
  const piece = random.pick([
    '? ',
    '{',
    '[',
    '- ',
    '&a ',
    '*a, ',
    '<!--',
    '{{',
    '[](',
    '**a',
    '\n',
    '"',
    "'<",
  ]);
  return text + piece.repeat(random.pick([100, 10_000, 100_000]));
}

async function writeFolder(folder: string, random: Random): Promise<void> {
  await mkdir(folder);
  const names = Object.keys(folderFiles).filter(() => random.chance(0.4));
  for (const name of names) await write(folder, name, hostile(random, folderFiles[name] ?? ''));
  const count = random.pick([0, 1, 5, 300]);
  for (let index = 0; index < count; index += 1) {
    const place = random.pick(['_posts', 'content/posts', 'src/posts', '.', 'a/b/c/d/e/f']);
    const name = `2026-01-01-${index}${random.pick(['.md', '.html', '.MD', '', '.json'])}`;
    await write(folder, `${place}/${name}`, hostile(random, random.pick(frontMatters)));
  }
  // Links that lead outside, to themselves, and to what never ends.
  for (const target of ['..', 'self', '/dev/zero', '/etc', '_posts'])
    if (random.chance(0.3))
      await symlink(target, path.join(folder, random.pick(['self', 'content', '_posts', 'x']))).catch(
        () => undefined,
      );
}

async function write(folder: string, name: string, text: string): Promise<void> {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** A sample with changes: a folder, or a zip whose directory may say what isn't true. */
async function writeArchive(file: string, random: Random): Promise<void> {
  const sample = sampleArchive(random.pick(samples));
  if (sample.endsWith('.xml')) {
    await writeFile(file, changedBytes(random, await readFile(sample)));
    return;
  }
  const entries = await readdir(sample, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  if (random.chance(0.3)) {
    await cp(sample, file, { recursive: true });
    for (const one of files.filter(() => random.chance(0.5)))
      await writeFile(path.join(file, path.relative(sample, one)), changedBytes(random, await readFile(one)));
    return;
  }
  const raw = await Promise.all(
    files.map(async (one) => ({
      name: random.chance(0.05)
        ? random.pick(['../x', '/etc/x', 'a\0b', 'C:\\x'])
        : path.relative(sample, one),
      content: random.chance(0.3) ? changedBytes(random, await readFile(one)) : await readFile(one),
      deflated: random.chance(0.5),
      ...(random.chance(0.1) && { claimedBytes: random.pick([0, 1, 4_294_967_295]) }),
      ...(random.chance(0.05) && { mode: 0o120777 }),
      ...(random.chance(0.05) && { flags: 1 }),
    })),
  );
  const bytes = rawZip(raw, random.chance(0.1) ? random.pick([0, 65_535, 1e9]) : undefined);
  await writeFile(file, random.chance(0.3) ? changedBytes(random, bytes) : bytes);
}

async function writeBackup(file: string, random: Random): Promise<void> {
  const names = Object.keys(documents).filter(() => random.chance(0.6));
  const files = Object.fromEntries(names.map((name) => [name, hostile(random, documents[name] ?? '')]));
  await forgedBackup(file, files);
  if (random.chance(0.2)) await writeFile(file, changedBytes(random, await readFile(file)));
}
