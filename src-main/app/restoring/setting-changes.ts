import { isAbsolute } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ChangeValue, RestoreChange } from '../../contract/data.ts';
import { isTaken } from '../../contract/restore-settings.ts';
import { Settings } from '../../contract/settings.ts';
import { ownerPhotoOf } from '../../site/stored-photo.ts';

/** The names of all settings in the schema, such as `signIn.allowWithoutPkce`. */
export const settingNames: readonly string[] = Object.entries(Settings.properties).flatMap(([area, schema]) =>
  Object.keys(schema.properties).map((key) => `${area}.${key}`),
);

type Areas = Record<string, Record<string, unknown>>;

/** Lists the changes that a backup's settings would make on this computer. Leaves out the settings that a restore
 * takes without asking. */
export function settingChanges(here: Settings, there: Settings): RestoreChange[] {
  return settingNames
    .filter((name) => !isTaken(name) && !isDeepStrictEqual(valueOf(here, name), valueOf(there, name)))
    .map((setting) => {
      const [ours, theirs] = [readableOf(here, setting), readableOf(there, setting)];
      return { setting, here: shown(ours, theirs), there: shown(theirs, ours) };
    });
}

/** Returns this computer's settings, with the backup's values of accepted settings and of those
 * that need no question. */
export function mergedSettings(here: Settings, there: Settings, accept: ReadonlySet<string>): Settings {
  const merged: Areas = structuredClone(here);
  for (const name of settingNames) {
    if (!isTaken(name) && !accept.has(name)) continue;
    const [area, key] = partsOf(name);
    Object.assign(merged[area] ?? {}, { [key]: structuredClone(valueOf(there, name)) });
  }
  return merged as Settings;
}

/**
 * Returns a backup's settings. If the folder for weekly backups has a path from another operating system, leaves that
 * folder out.
 */
export function usableHere(there: Settings): Settings {
  const isUsable = isAbsolute(there.backup.folder);
  return isUsable ? there : { ...there, backup: { ...there.backup, folder: '' } };
}

function valueOf(settings: Settings, name: string): unknown {
  const [area, key] = partsOf(name);
  return (settings as Areas)[area]?.[key];
}

/** Returns a setting's value for display. Represents an uploaded photo by a short hash of its content. */
function readableOf(settings: Settings, name: string): unknown {
  const photo = name === 'profile.photo' ? ownerPhotoOf(settings.profile) : null;
  return photo === null ? valueOf(settings, name) : `Uploaded photo ${photo.name.slice(0, 8)}`;
}

function partsOf(name: string): [string, string] {
  const [area = '', key = ''] = name.split('.');
  return [area, key];
}

/** The maximum number of list entries to show. Further entries are only counted. */
const mostShown = 100;

/** Returns a setting's value for display. List entries that are missing from the `other` value come first. */
export function shown(value: unknown, other: unknown): ChangeValue {
  if (Array.isArray(value)) {
    const known = new Set(Array.isArray(other) ? other.map(entryOf) : []);
    const entries = value.map(entryOf);
    const sorted = [...entries.filter((one) => !known.has(one)), ...entries.filter((one) => known.has(one))];
    const rest = sorted.length - mostShown;
    return rest > 0 ? [...sorted.slice(0, mostShown), `and ${rest} more`] : sorted;
  }
  if (value === null || ['boolean', 'number', 'string'].includes(typeof value)) return value as ChangeValue;
  return JSON.stringify(value);
}

function entryOf(entry: unknown): string {
  if (typeof entry === 'string') return entry;
  const { name, uid } = entry as { name?: unknown; uid?: unknown };
  return typeof name === 'string' && typeof uid === 'string' ? `${name} (${uid})` : JSON.stringify(entry);
}
