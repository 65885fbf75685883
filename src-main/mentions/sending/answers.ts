import type { FetchedResponse } from '../../platform/fetched-response.ts';
import { cleanLine } from '../plain-text.ts';
import { parsedJson } from '../receiving/source/json-values.ts';
import { isRecord, own } from '../../storage/json-value.ts';

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/**
 * Returns whether an HTTP status reports a failure that may be temporary, such as a timeout, a rate limit or a server
 * error.
 */
export function mayPass(status: number): boolean {
  return status >= 500 || [408, 425, 429].includes(status);
}

const longestReason = 200;
const reasons = ['error_description', 'summary', 'message', 'error'];

/**
 * Returns the reason stated in a receiver's response, on one line. Returns an empty string if the response contains no
 * readable text.
 */
export function reasonIn(answer: FetchedResponse): string {
  const type = answer.headers.get('content-type') ?? '';
  if (/^text\/plain\b/i.test(type)) return cleanLine(answer.text(), longestReason);
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) return '';
  const told = parsedJson(answer.text());
  const reason = isRecord(told) ? reasons.map((name) => own(told, name)).find(isText) : undefined;
  return cleanLine(reason ?? '', longestReason);
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
