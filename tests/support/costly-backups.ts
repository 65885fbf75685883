import { writeFile } from 'node:fs/promises';
import { handMadeBackup } from './backup-scene.ts';
import { forgedBackup } from './forged-backup.ts';
import { rawZip } from './raw-zip.ts';

const objects = (megabytes: number) => '{},'.repeat((megabytes * 1_000_000) / 3);
const settingsWith = (rest: string) => `{"format":3,"extra":[${rest}{}]}`;
const post = 'posts/2026/11/bomb.json';
const keys = (count: number) =>
  `{"format":3,${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`;

/** A backup that costs much unless it is read within limits. */
export interface CostlyBackup {
  readonly what: string;
  readonly write: (file: string) => Promise<void>;
  /** What the owner is told: an error, or problems of a backup that can be restored without this part. */
  readonly told: RegExp;
}

const withFiles = (what: string, files: () => Record<string, string>, told: RegExp): CostlyBackup => ({
  what,
  write: (file) => forgedBackup(file, files()),
  told,
});

/** Backups of each shape. Each is a small zip. */
export const costlyBackups: readonly CostlyBackup[] = [
  withFiles(
    'settings of 60 MB',
    () => ({ 'settings.json': settingsWith(objects(60)) }),
    /"settings\.json" cannot be used: it is larger than 5 MB/,
  ),
  withFiles(
    'settings of very many values',
    () => ({ 'settings.json': settingsWith(objects(4)) }),
    /"settings\.json" cannot be used: it has too many values/,
  ),
  withFiles(
    'settings that are nested a million levels deep',
    () => ({ 'settings.json': `{"format":3,"extra":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}` }),
    /"settings\.json" cannot be used: it is nested too deeply/,
  ),
  withFiles('a post of very many keys', () => ({ [post]: keys(510_000) }), /it has too many values/),
  withFiles(
    'a row of 50 MB',
    () => ({ 'records/mentions.jsonl': `{"format":1,"id":"m","mention":[${objects(50)}{}]}\n` }),
    /1 of the rows of “mentions” can’t be read/,
  ),
  withFiles(
    'many rows of a megabyte, each of very many values',
    () => ({ 'records/mentions.jsonl': `{"format":1,"id":"m","mention":[${objects(0.9)}{}]}\n`.repeat(20) }),
    /20 of the rows of “mentions” can’t be read/,
  ),
  withFiles(
    'many rows with huge numbers',
    () => ({
      'records/activity.jsonl':
        `{"format":1,"seq":${'9'.repeat(10_000)},"id":"a","at":"x","kind":"x","words":"x","sign_in":null}\n`.repeat(
          2000,
        ),
    }),
    /2000 of the rows of “activity” can’t be read/,
  ),
  withFiles(
    'rows that are none, very many',
    () => ({ 'records/blocked_sites.jsonl': '{"format":1,"domain":1}\n'.repeat(400_000) }),
    /400000 of the rows of “blocked_sites” can’t be read/,
  ),
  {
    what: 'very many small files',
    write: (file) =>
      writeFile(
        file,
        handMadeBackup(
          Array.from({ length: 2000 }, (_, at) => ({ name: `data/posts/2026/11/p${at}.json`, content: '{' })),
        ),
      ),
    told: /cannot be used/,
  },
  {
    what: 'a list of files of 50 MB',
    write: (file) =>
      writeFile(
        file,
        rawZip([
          ...Array.from({ length: 300 }, (_, at) => ({ name: `data/${'x'.repeat(60_000)}${at}` })),
          {
            name: 'porchlight-backup.json',
            content: `{"porchlightBackup":1,"files":{},"x":[${objects(50)}{}]}`,
            deflated: true,
          },
        ]),
      ),
    told: /its list of files can’t be read/,
  },
];
