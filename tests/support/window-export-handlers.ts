import type { Handlers } from '../../src-main/contract/contract.ts';

type ExportHandlers = Pick<Handlers, 'webmentions.exportPlace' | 'webmentions.exportTo'>;

/** The part of a service for `house` that saves its mentions as a file. */
export function exportHandlers(house: { readonly mentions: readonly unknown[] }): ExportHandlers {
  return {
    'webmentions.exportPlace': () => ({ path: '/home/robin/Downloads/webmentions-2026-11-21.jf2' }),
    'webmentions.exportTo': ({ path }) => ({ path, mentions: house.mentions.length }),
  };
}
