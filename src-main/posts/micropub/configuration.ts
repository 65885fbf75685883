import { factProperties, postKinds, responseProperties } from '../../contract/post-kinds.ts';
import type { Settings } from '../../contract/settings.ts';
import { postStatuses, visibilities } from '../post-content.ts';

export interface ConfigurationDeps {
  readonly base: string;
  readonly settings: Pick<Settings['micropub'], 'categories' | 'channels' | 'syndicateTo'>;
  /** The categories in use that the requesting app may see. */
  readonly categories: readonly string[];
}

const queries = ['config', 'source', 'syndicate-to', 'post-types', 'category', 'channel', 'media-endpoint'];
/** The properties that the site's pages show. Other properties are also stored, and returned by q=source (MP-24). */
const properties = [
  ...['name', 'summary', 'content', 'category', 'photo', 'video', 'audio', 'featured', 'published'],
  ...responseProperties.map(({ name }) => name),
  ...['read-status', ...factProperties],
  ...['syndication', 'post-status', 'visibility', 'location-visibility'],
];
const commands = ['slug', 'syndicate-to', 'channel', 'destination', 'photo-alt'];

/**
 * Returns the response to q=config (Micropub 3.7.1, MP-75, MX-4, MX-15 to MX-20). Apps can also query each key of the
 * response (MX-33).
 */
export function configurationOf({ base, settings, categories }: ConfigurationDeps) {
  return {
    'media-endpoint': `${base}/media`,
    'syndicate-to': settings.syndicateTo,
    'post-types': Object.entries(postKinds).map(([type, kind]) => ({
      type,
      name: kind.name,
      ...(kind.type && { h: kind.type.slice('h-'.length) }),
    })),
    channels: settings.channels,
    categories: [...new Set([...settings.categories, ...categories])],
    visibility: visibilities,
    'post-status': postStatuses,
    destination: [{ uid: `${base}/`, name: new URL(base).host }],
    q: queries,
    properties,
    mp: commands,
  };
}
