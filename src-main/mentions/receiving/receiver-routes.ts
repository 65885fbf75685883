import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { PorchlightError } from '../../contract/error.ts';
import { visitorOf } from '../../http/client-address.ts';
import { errorBody } from '../../http/errors.ts';
import { formFields, requiredField, type Fields } from '../../http/form.ts';
import { sendPage } from '../../http/page.ts';
import { formPage, type FormFields } from './form-page.ts';
import type { Queue, Receipt } from './queue.ts';
import { progressOf, statusPage, unknownPage } from './status-page.ts';
import { hostOf } from '../../platform/site-name.ts';
import { checkMention, type TargetRules } from './target-check.ts';

export interface ReceiverRouteDeps extends TargetRules {
  /** Returns the public origin, without a trailing slash. */
  readonly base: () => string;
  readonly queue: Pick<Queue, 'receive' | 'byToken'>;
  /** Notifies the owner that mentions are being refused. `why`: one sentence. */
  readonly refused: (why: string) => void;
}

type Busy = Exclude<Receipt, { kind: 'queued' }>;

/** The number of seconds after which a sender may try again if too many mentions are waiting. */
const fullPauseSeconds = 600;

/**
 * How many mentions a sender may send in a minute. The limit is higher for requests that don't come through the tunnel,
 * because many senders may share one address. The User-Agent header plays no role, because anyone could claim to be a
 * Porchlight server.
 */
const sendLimit = {
  rateLimit: {
    max: (request: FastifyRequest) => (visitorOf(request) === undefined ? 6000 : 60),
    timeWindow: 60_000,
    keyGenerator: (request: FastifyRequest) => visitorOf(request) ?? request.socket.remoteAddress ?? '',
  },
};

/** Serves the Webmention endpoint (Webmention 3.2), which accepts mentions and reports their status. */
export function receiverRoutes(deps: ReceiverRouteDeps): FastifyPluginCallback {
  const { queue, base } = deps;
  const locationOf = (token: string) => `${base()}/webmention/${token}`;

  async function receive(fields: Fields, visitor: string | undefined): Promise<Receipt> {
    const source = requiredField(fields, 'source');
    const target = requiredField(fields, 'target');
    await checkMention(deps, source, target);
    const receipt = await queue.receive({ source, target, visitor });
    if (receipt.kind === 'full') deps.refused(refusalWords(receipt, source));
    return receipt;
  }

  async function answerBusy(request: FastifyRequest, reply: FastifyReply, receipt: Busy): Promise<unknown> {
    const words = busyWords(receipt);
    reply.header('retry-after', String(fullPauseSeconds));
    // The status is 429 if too many mentions from this sender or from the source's site are waiting, and 503 if the
    // whole queue is full.
    const status = receipt.of === 'all' ? 503 : 429;
    if (isVisit(request)) return sendPage(reply, status, formPage(fieldsOf(request.body), words));
    return reply.code(status).send(errorBody('temporarily_unavailable', words));
  }

  async function answerReceipt(
    request: FastifyRequest,
    reply: FastifyReply,
    receipt: Receipt,
  ): Promise<unknown> {
    if (receipt.kind !== 'queued') return answerBusy(request, reply, receipt);
    const location = locationOf(receipt.entry.token);
    const progress = progressOf(receipt.entry);
    reply.header('location', location);
    if (isVisit(request)) return sendPage(reply, 201, statusPage(progress, location));
    return reply.code(201).send({ status: progress.status, location, summary: progress.summary });
  }

  /**
   * Shows the form again, with the error, if a person sent the request. Rethrows the error if a program sent the
   * request, or if the server is at fault.
   */
  async function answerFault(request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<unknown> {
    if (!isVisit(request) || !(error instanceof PorchlightError) || error.status >= 500) throw error;
    return sendPage(reply, error.status, formPage(fieldsOf(request.body), error.message));
  }

  function endpoint(app: FastifyInstance, _options: object, done: () => void): void {
    app.addHook('onRequest', (_request, reply, next) => {
      reply.header('link', `<${base()}/webmention>; rel="webmention"`);
      reply.header('cache-control', 'no-store');
      next();
    });
    app.addContentTypeParser('*', (_request, _payload, parsed) => {
      parsed(
        new PorchlightError(
          'invalid_request',
          'Send a webmention as a form with the fields source and target.',
        ),
      );
    });

    app.post('/webmention', { config: sendLimit }, async (request, reply) => {
      try {
        return await answerReceipt(
          request,
          reply,
          await receive(formFields(request.body), visitorOf(request)),
        );
      } catch (error) {
        return answerFault(request, reply, error);
      }
    });

    app.get('/webmention', (request, reply) => sendPage(reply, 200, formPage(fieldsOf(request.query))));

    app.get<{ Params: { token: string } }>('/webmention/:token', async (request, reply) => {
      const entry = queue.byToken(request.params.token);
      if (!entry && isVisit(request)) return sendPage(reply, 404, unknownPage());
      if (!entry) return reply.code(404).send(errorBody('not_found'));
      const progress = progressOf(entry);
      if (isVisit(request)) return sendPage(reply, 200, statusPage(progress, locationOf(entry.token)));
      return progress;
    });
    done();
  }

  return (app, _options, done) => {
    void app.register(endpoint);
    done();
  };
}

function busyWords(receipt: Busy): string {
  switch (receipt.of) {
    case 'all':
      return 'Too many mentions are waiting here. Try again later.';
    case 'site':
      return 'Too many mentions from this site are waiting here. Try again later.';
    case 'visitor':
      return 'Too many mentions that you sent are waiting here. Try again later.';
  }
}

/** Returns a message that tells the owner why a mention was refused. */
function refusalWords({ of }: Extract<Receipt, { kind: 'full' }>, source: string): string {
  switch (of) {
    case 'all':
      return 'Porchlight refuses new mentions for now: too many are waiting to be checked.';
    case 'site':
      return `Porchlight refuses new mentions from ${hostOf(new URL(source))} for now: too many are waiting to be checked.`;
    case 'visitor':
      return 'Porchlight refuses new mentions from one sender for now: too many are waiting to be checked.';
  }
}

/**
 * Returns whether a request comes from a browser. Browsers put HTML first in the Accept header; other programs don't.
 */
function isVisit({ headers }: FastifyRequest): boolean {
  return /^text\/html\b/i.test(headers.accept ?? '');
}

/** Returns the values to show in the form's fields. A value that isn't a single string becomes undefined. */
function fieldsOf(input: unknown): FormFields {
  const { source, target } = formFields(input);
  const text = (value: typeof source) => (typeof value === 'string' ? value : undefined);
  return { source: text(source), target: text(target) };
}
