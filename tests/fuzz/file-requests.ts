import { fileKinds, filesOfKind } from './hostile-files.ts';
import type { Random } from './random.ts';
import type { Draft } from './request.ts';
import type { Values } from './world.ts';

/** Returns a call by which the owner reads a folder, an archive or a backup that somebody else made. */
export function fileDraft(values: Values, random: Random): Draft {
  const kind = random.pick(fileKinds);
  const name = `${random.below(filesOfKind)}${kind === 'folders' ? '' : '.zip'}`;
  const path = `${values['hostileFiles'] ?? ''}/${kind}/${name}`;
  const [method, value] = callOf(kind, path, random);
  return {
    method: 'POST',
    path: `/api/${method}`,
    headers: [['Authorization', `Bearer ${values['ownerKey'] ?? ''}`]],
    body: { kind: 'json', value },
  };
}

function callOf(kind: (typeof fileKinds)[number], path: string, random: Random): [string, object] {
  switch (kind) {
    case 'folders': {
      const generator = random.pick(['hugo', 'jekyll', 'eleventy', 'astro', 'zola', 'other'] as const);
      return random.chance(0.5)
        ? ['siteFolder.detect', { path }]
        : ['siteFolder.preview', { settings: { path, generator, baseUrl: 'https://site.example/' } }];
    }
    case 'archives':
      return ['posts.import', { path, format: 'auto', dryRun: true }];
    case 'backups':
      // A backup that was checked waits for the owner's answer, and the next one needs its place.
      return random.chance(0.3) ? ['data.cancel', { what: 'waiting' }] : ['data.restore', { path }];
  }
}
