import type { Settings } from '../../../../src-main/contract/settings.ts';
import type { FoundSite } from '../../../../src-main/contract/site-folder.ts';

export type FolderSettings = Settings['siteFolder'];

/** How changes get into git. */
export type GitWay = 'push' | 'commit' | 'files';

/** Returns how changes get into git. */
export function gitWayOf({ commit, push }: FolderSettings): GitWay {
  if (!commit) return 'files';
  return push ? 'push' : 'commit';
}

/** Returns the settings for a way into git. */
export function settingsOfWay(way: GitWay): Pick<FolderSettings, 'commit' | 'push'> {
  return { commit: way !== 'files', push: way === 'push' };
}

/** The fields that the service can refuse. */
const typedFields = [
  ...(['baseUrl', 'postFile', 'postUrl', 'mediaFile', 'mediaUrl', 'branch', 'remote'] as const),
];
export type TypedField = (typeof typedFields)[number];

/**
 * Returns the field that an error is about: the only one that changed since `good` was accepted. If nothing was accepted
 * yet, the first empty one that posts need. Undefined if it could be any.
 */
export function faultyField(now: FolderSettings, good: FolderSettings | null): TypedField | undefined {
  const needed: TypedField[] = ['baseUrl', 'postFile', 'postUrl'];
  if (now.media === 'folder') needed.push('mediaFile', 'mediaUrl');
  if (good === null) return needed.find((field) => now[field] === '');
  const changed = typedFields.filter((field) => now[field] !== good[field]);
  return changed.length === 1 ? changed[0] : undefined;
}

/** Returns the settings that a folder suggests and that differ from `now`; empty if all of them fit. */
export function suggestions({ suggested }: FoundSite, now: FolderSettings): Partial<FolderSettings> {
  return Object.fromEntries(
    Object.entries(suggested).filter(([name, value]) => now[name as keyof FolderSettings] !== value),
  );
}
