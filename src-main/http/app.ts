import formbody from '@fastify/formbody';
import rateLimit from '@fastify/rate-limit';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginCallback,
} from 'fastify';
import {
  answerMalformed,
  type BodyPatience,
  boundBodies,
  noRouteSchemas,
  refuseDoubtfulHost,
  usualPatience,
} from './request-guards.ts';
import { addressOfClient } from './client-address.ts';
import { addServerTiming, allowOtherSites, proveResponses, securityHeaders } from './response-headers.ts';
import { compressNoDemo, type OwnerLook, sayItIsADemo } from './page.ts';
import { answerError, answerNotFound, type SendRest } from './error-answers.ts';
import { limitCost, usualCostLimits, type VisitorCostOptions } from './visitor-cost.ts';

/**
 * The size limit of a request body, in bytes: 64 KiB. Sign-in forms are far smaller, and routes that accept larger
 * bodies set their own limit.
 */
const formLimit = 65_536;

export interface PublicAppOptions {
  readonly log: FastifyBaseLogger;
  /** The app's plugins, in the order in which they are registered. */
  readonly features: readonly FastifyPluginCallback[];
  /** Throws if the data cannot be read or saved. Called before each request, except on routes marked `withoutData`. */
  readonly requireData?: () => void;
  /** Called with the error of each failed request. Must not throw. */
  readonly failed?: (error: unknown) => void;
  /**
   * Called when the app starts to close. Must end all waiting for events, so that every request that waits for an event
   * gets a response.
   */
  readonly closing: () => void;
  /** The time limits for receiving a request body. */
  readonly patience?: BodyPatience;
  /** How much main-thread time the requests of visitors and apps may use. */
  readonly cost?: Partial<VisitorCostOptions>;
  /** Whether responses state how long each phase of the request took. */
  readonly timing?: boolean | undefined;
  /**
   * Returns the keys for proving to the mailbox that a response comes from this server; none while there is no mailbox.
   * The mailbox is the worker at Cloudflare that responds while this computer sleeps.
   */
  readonly proofKeys?: () => readonly string[];
  /** Whether every page states that it is part of a demo. */
  readonly isDemo?: boolean;
  /** Responds to requests for paths without a route. */
  readonly sendRest?: SendRest;
  /** Returns the look of the owner's site, for pages such as errors. */
  readonly ownerLook?: () => Promise<OwnerLook>;
}

/**
 * How many clients the rate limit of a route tracks. Beyond this number, a new client replaces the one that was seen
 * least recently.
 */
const mostCounted = 1000;

/**
 * How long the result of a successful check of the data folder is reused for later requests, in ms. Each check is a
 * system call, so a check for every request would be slow. Requests that save data check the folder themselves.
 */
const dataMs = 2;

/** Builds the public app, which the tunnel exposes to the web. */
export async function buildPublicApp({
  log,
  features,
  closing,
  requireData = () => undefined,
  failed = () => undefined,
  patience = usualPatience,
  cost = {},
  timing = false,
  isDemo = false,
  proofKeys = () => [],
  sendRest,
  ownerLook,
}: PublicAppOptions): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }), // no request logs, for visitors' privacy
    childLoggerFactory: (logger) => logger, // no request ids, so nobody can link log lines to a request
    bodyLimit: formLimit,
    requestTimeout: patience.totalMs, // the limit for an entire request; see body-patience.ts
    http: { headersTimeout: 60_000 },
    forceCloseConnections: 'idle',
    schemaController: noRouteSchemas,
    routerOptions: { maxParamLength: 200 },
    clientErrorHandler: answerMalformed,
    frameworkErrors: (error, request, reply) => {
      visitors.malformed(request);
      // Close the connection. No hooks run for a request that Fastify refuses, so nothing else limits its body.
      reply.header('connection', 'close');
      void answerError(error, request, reply);
    },
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) => answerNotFound(request, reply, sendRest));
  app.removeContentTypeParser(['application/json', 'text/plain']);

  if (ownerLook) app.decorate('ownerLook', ownerLook);
  if (timing) addServerTiming(app);
  proveResponses(app, proofKeys);
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(securityHeaders);
    done();
  });
  const visitors = limitCost(app, {
    limits: usualCostLimits,
    payerOf: () => Promise.resolve(undefined),
    refused: () => undefined,
    ...cost,
  });
  boundBodies(app, patience);
  app.addHook('onRequest', refuseDoubtfulHost);
  let dataSeenAt = -Infinity;
  app.addHook('onRequest', ({ routeOptions }, _reply, done) => {
    if (routeOptions.config.withoutData !== true && performance.now() - dataSeenAt > dataMs) {
      requireData();
      dataSeenAt = performance.now();
    }
    done();
  });
  app.addHook('onRequest', allowOtherSites);
  app.addHook('onError', (_request, _reply, error, done) => {
    failed(error);
    done();
  });
  if (isDemo) app.addHook('onRequest', compressNoDemo).addHook('onSend', sayItIsADemo);
  await app.register(formbody, { bodyLimit: formLimit });
  await app.register(rateLimit, { global: false, cache: mostCounted, keyGenerator: addressOfClient });
  app.addHook('preClose', (done) => {
    closing();
    done();
  });
  for (const feature of features) await app.register(feature);
  return app;
}
