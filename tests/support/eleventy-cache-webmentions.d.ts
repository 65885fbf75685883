/** It comes without types: what the tests use of it. */
declare module '@chrisburnell/eleventy-cache-webmentions' {
  interface Options {
    refresh: boolean;
    duration: string;
    uniqueKey: string;
    cacheDirectory: string;
    paginate: boolean;
    domain: string;
    feed: string;
    key: 'children' | 'links';
  }
  export const defaults: Omit<Options, 'domain' | 'feed' | 'key'>;
  export function retrieveWebmentions(options: Options): Promise<Record<string, unknown>[]>;
  export function getWebmentions(
    options: Options,
    url: string,
    types?: string[],
  ): Promise<Record<string, unknown>[]>;
}
