import type { FastifyPluginCallback } from 'fastify';
import { visitorOf } from '../../http/client-address.ts';
import { invalidRequest } from '../../http/errors.ts';
import { formFields, type Fields } from '../../http/form.ts';
import { longestAddress, secretBytes, type IntentRequest } from './subscription.ts';

const hour = 3600;
const day = 24 * hour;
/** The minimum, default and maximum duration of a subscription, in seconds. */
const lease = { least: 300, usual: 10 * day, most: 30 * day };

/** Accepts a request that the subscriber still has to confirm (WebSub 5.3). Resolves once the request is on disk. */
type Accept = (request: IntentRequest, visitor: string | undefined) => Promise<void>;

/** Serves the endpoint of the WebSub hub (WebSub 5.1). */
export function hubRoutes(accept: Accept): FastifyPluginCallback {
  return (app, _options, done) => {
    app.post('/websub', async (request, reply) => {
      await accept(requestIn(formFields(request.body)), visitorOf(request));
      return reply
        .code(202)
        .header('cache-control', 'no-store')
        .type('text/plain; charset=utf-8')
        .send('Accepted. The callback will be asked to confirm this request.\n');
    });
    done();
  };
}

/**
 * Returns the request from the form fields that a subscriber sent.
 * @throws invalid_request
 */
export function requestIn(fields: Fields): IntentRequest {
  const mode = textIn(fields, 'hub.mode');
  if (mode !== 'subscribe' && mode !== 'unsubscribe')
    throw invalidRequest('hub.mode must be subscribe or unsubscribe.');
  const callback = addressIn(fields, 'hub.callback');
  const topic = addressIn(fields, 'hub.topic');
  const seconds = textIn(fields, 'hub.lease_seconds') ?? String(lease.usual);
  if (!/^\d{1,12}$/.test(seconds))
    throw invalidRequest('hub.lease_seconds must be a whole number of seconds.');
  const secret = textIn(fields, 'hub.secret');
  if (secret !== undefined && Buffer.byteLength(secret) >= secretBytes)
    throw invalidRequest(`hub.secret must be shorter than ${secretBytes} bytes.`);
  const leaseSeconds = Math.min(lease.most, Math.max(lease.least, Number(seconds)));
  return { mode, callback, topic, leaseSeconds, ...(secret !== undefined && { secret }) };
}

function addressIn(fields: Fields, name: string): string {
  const text = textIn(fields, name);
  if (text === undefined) throw invalidRequest(`The parameter ${name} is missing.`);
  const url = text.length <= longestAddress && URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === undefined || !isWeb || url.username !== '' || url.password !== '')
    throw invalidRequest(`${name} must be an http or https URL of at most ${longestAddress} characters.`);
  return url.href.length <= longestAddress ? url.href : text;
}

function textIn(fields: Fields, name: string): string | undefined {
  const value: unknown = fields[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw invalidRequest(`The parameter ${name} must appear once, as text.`);
  return value;
}
