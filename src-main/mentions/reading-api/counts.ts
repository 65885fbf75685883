import type { Mention } from '../mention.ts';
import { isRecord } from '../../storage/json-value.ts';

/** Returns the number of mentions, in total and by type, in webmention.io's format (WI-2). */
export function mentionCounts(mentions: readonly Mention[]): { count: number; type: Record<string, number> } {
  const types = new Map<string, number>();
  for (const mention of mentions) {
    const name = nameOf(mention);
    types.set(name, (types.get(name) ?? 0) + 1);
  }
  return { count: mentions.length, type: Object.fromEntries([...types].sort()) };
}

function nameOf({ facts, imported }: Mention): string {
  const activity = imported?.json?.['activity'];
  if (isRecord(activity) && activity['type'] === 'invite') return 'invite';
  return facts.type === 'rsvp' ? `rsvp-${facts.rsvp ?? 'yes'}` : facts.type;
}
