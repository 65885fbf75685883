import { FetchError } from '../platform/fetch-error.ts';
import { PublishingTrouble } from './publishing/folder-target.ts';
import type { LivePage } from './publishing/post-publisher.ts';
import type { Common } from '../http/common.ts';

const limits = { maxBytes: 5_000_000, timeoutMs: 20_000 };

/**
 * Fetches a page of the owner's own site.
 * @throws PublishingTrouble if the site doesn't respond
 */
export async function fetchLivePage(
  fetch: Common['fetch'],
  url: string,
  signal: AbortSignal,
): Promise<LivePage> {
  try {
    const response = await fetch(url, { ...limits, signal });
    return { status: response.status, text: response.text() };
  } catch (error) {
    if (error instanceof FetchError) throw new PublishingTrouble(`Your site doesn’t answer: ${error.detail}`);
    throw error;
  }
}
