import type { FetchedPage } from '../untrusted/pages/fetched-page.ts';
import { readPage, type Rels, type WebPage } from '../untrusted/pages/web-page.ts';
import type { ClientInformation } from '../sign-in/client-information.ts';
import { clientFromHtml, profileFromPage } from '../sign-in/read-pages.ts';
import { liveState, type PostAtHome } from '../posts/files/live-mark.ts';
import { endpointInHtml } from '../mentions/sending/endpoint-in-html.ts';
import { pageText, type SourcePage } from '../mentions/receiving/source/source-page.ts';
import { readAuthor, readCited, readSource } from '../mentions/receiving/source/source-reading.ts';

/**
 * The jobs of the threads that read other people's pages (reading.ts). Each job returns only the data that its caller
 * needs.
 */
export const jobs = {
  readSource,
  readAuthor,
  readCited,
  findEndpoint: ({ body, contentType, url }: Pick<SourcePage, 'body' | 'contentType' | 'url'>) =>
    endpointInHtml(pageText(body, contentType), url),
  readProfile: profileFromPage,
  readClient: ({ clientId, page }: { clientId: string; page: FetchedPage }): ClientInformation =>
    clientFromHtml(clientId, page),
  readRels: ({ page, names }: { page: FetchedPage; names: readonly string[] }) =>
    relsOf(readPage(page), names),
  isLive: ({ page, post }: { page: string; post: PostAtHome }) => liveState(page, post),
};
export type PageJobs = typeof jobs;

const mostAddresses = 100;

function relsOf({ rels, linkRels }: WebPage, names: readonly string[]): Pick<WebPage, 'rels' | 'linkRels'> {
  const some = (all: Rels): Rels =>
    Object.fromEntries(names.map((name) => [name, (all[name] ?? []).slice(0, mostAddresses)]));
  return { rels: some(rels), linkRels: some(linkRels) };
}
