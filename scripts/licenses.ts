// Gathers the licences of all that Porchlight's packages contain, for the window: Settings, About Porchlight.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './child.ts';

/** The licence of a piece of software. `text`: the whole text, with its copyright notices. */
interface Licensed {
  readonly name: string;
  readonly license: string;
  readonly text: string;
}

/** What Vite writes about the packages that it bundled: `## name - version (license)`, and the text. */
const bundled = ['main/licenses.md', 'main/licenses-threads.md', 'renderer/licenses.md'];
const heading = /^## (\S+) - (\S+) \((.+)\)$/;

/** Packages that aren't bundled, with the files that hold their licences. */
const packages: Readonly<Record<string, readonly string[]>> = {
  electron: ['LICENSE'],
  keytar: ['LICENSE.md'],
  'libheif-js': ['LICENSE', 'libheif-wasm/LICENSE'],
  'wasm-vips': ['LICENSE', 'THIRD-PARTY-NOTICES.md'],
};

/** Writes out/renderer/licenses.json, which the window reads: a list sorted by name. */
export function gatherLicenses(): void {
  const all = [...bundled.flatMap(readBundled), ...Object.entries(packages).map(readPackage), ...others()];
  const byName = new Map(all.map((one) => [one.name, one]));
  const sorted = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  writeFileSync(join(root, 'out/renderer/licenses.json'), JSON.stringify(sorted));
}

function readBundled(file: string): Licensed[] {
  const found: { name: string; license: string; lines: string[] }[] = [];
  for (const line of readFileSync(join(root, 'out', file), 'utf8').split('\n')) {
    const [, name, version, license] = heading.exec(line) ?? [];
    if (name !== undefined && license !== undefined)
      found.push({ name: `${name} ${version}`, license, lines: [] });
    else found.at(-1)?.lines.push(line);
  }
  return found.map(({ lines, ...one }) => ({ ...one, text: lines.join('\n').trim() }));
}

function readPackage([folder, files]: [string, readonly string[]]): Licensed {
  const read = (file: string) => readFileSync(join(root, 'node_modules', folder, file), 'utf8').trim();
  const { name, version, license } = JSON.parse(read('package.json')) as Record<string, string>;
  return { name: `${name} ${version}`, license: license ?? '', text: files.map(read).join('\n\n') };
}

function others(): Licensed[] {
  const read = (file: string) => readFileSync(join(root, file), 'utf8').trim();
  return [
    { name: 'Tabler Icons', license: 'MIT', text: read('src-renderer/public/tabler-icons-license.txt') },
    { name: 'cloudflared', license: 'Apache-2.0', text: read('resources/cloudflared-license.txt') },
  ];
}
