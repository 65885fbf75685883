import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { PorchlightError } from '../contract/error.ts';
import { assistantScopes } from '../contract/sign-ins.ts';
import type { Authorize, Bearer } from '../http/bearer.ts';
import { BearerError, invalidToken, nothingHere, RetryLater } from '../http/errors.ts';
import { noStore } from '../http/response-headers.ts';
import { issuerOf, mcpAddress } from '../http/server-metadata.ts';
import { parseJsonObject } from '../posts/micropub/safe-json.ts';
import { clientDocuments } from './clients.ts';
import { answerMessage, type McpAnswer, type McpMethods, unparsedAnswer } from './protocol.ts';

interface AssistantRouteDeps {
  /** Whether the owner has turned assistants on. Otherwise, these addresses don't exist. */
  readonly isOn: () => boolean;
  readonly base: () => string;
  /** Checks a token that is bound to this endpoint. */
  readonly authorize: Authorize;
  /** Returns whether a permission is still valid. */
  readonly isLive: (grantId: string) => boolean;
  /** Returns what an app can call. */
  readonly methodsFor: (bearer: Bearer) => McpMethods;
}

/** How many calls of an app may be under way: each may hold a photo in memory. */
const mostAtOnce = 8;
/** How long an app with more calls should wait, in ms. */
const crowdedMs = 2000;
/** The largest message: a photo of 5 MB as base64, with the rest of the message. */
const mostBytes = 7_200_000;

const metadataPath = '/.well-known/oauth-protected-resource';

/** Returns the routes of the MCP endpoint, with its metadata (RFC 9728) and the client documents. */
export function assistantRoutes(deps: AssistantRouteDeps): FastifyPluginCallback {
  const { base, isOn, authorize, isLive, methodsFor } = deps;

  /** The permissions of the requests that are being received. */
  const bearers = new WeakMap<FastifyRequest, Bearer>();

  /** How many calls of each app are under way. */
  const underWay = new Map<string, number>();

  function begin({ grantId }: Bearer, reply: FastifyReply): void {
    const count = underWay.get(grantId) ?? 0;
    if (count >= mostAtOnce) throw new RetryLater('This app has too many calls under way.', crowdedMs);
    underWay.set(grantId, count + 1);
    reply.raw.once('close', () => {
      const left = (underWay.get(grantId) ?? 1) - 1;
      if (left === 0) underWay.delete(grantId);
      else underWay.set(grantId, left);
    });
  }

  /** Checks the token before the body is read. */
  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!isOn()) throw nothingHere();
    if (request.method !== 'POST') return;
    if (request.headers.host !== new URL(base()).host)
      throw new PorchlightError('forbidden', 'This is not the address of this server.', 403);
    try {
      const bearer = await authorize(request);
      begin(bearer, reply);
      bearers.set(request, bearer);
    } catch (error) {
      throw error instanceof BearerError ? withMetadata(error) : error;
    }
  }

  const withMetadata = ({ code, message, status, challenge, named }: BearerError): BearerError => {
    const asked = status === 401 ? 'scope="draft"' : '';
    const details = [
      challenge.slice('Bearer'.length).trim(),
      `resource_metadata="${base()}${metadataPath}/mcp"`,
      asked,
    ];
    const text = details.filter((one) => one !== '').join(', ');
    return new BearerError(code, message, status, `Bearer ${text}`, named);
  };

  async function answer(request: FastifyRequest): Promise<McpAnswer> {
    const bearer = bearers.get(request);
    if (bearer === undefined || !isOn()) throw nothingHere();
    // The owner may have signed the app out while the body arrived.
    if (!isLive(bearer.grantId)) throw withMetadata(invalidToken());
    let message: unknown;
    try {
      message = parseJsonObject(String(request.body));
    } catch {
      return unparsedAnswer();
    }
    const { headers } = request;
    const named = {
      version: one(headers, 'mcp-protocol-version'),
      method: one(headers, 'mcp-method'),
      name: one(headers, 'mcp-name'),
    };
    try {
      return await answerMessage(message, named, methodsFor(bearer));
    } catch (error) {
      throw error instanceof BearerError ? withMetadata(error) : error;
    }
  }

  const metadata = () => ({
    resource: mcpAddress(base()),
    authorization_servers: [issuerOf(base())],
    scopes_supported: assistantScopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Porchlight',
  });

  function endpoint(app: FastifyInstance, _options: object, done: () => void): void {
    app.addHook('onRequest', admit);
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'string', bodyLimit: mostBytes },
      (_request, text, parsed) => parsed(null, text),
    );
    app.post('/mcp', { bodyLimit: mostBytes }, async (request, reply) => {
      noStore(reply);
      const { status, body } = await answer(request);
      return reply.code(status).send(body);
    });
    for (const path of [metadataPath, `${metadataPath}/mcp`]) app.get(path, metadata);
    for (const [name, document] of Object.entries(clientDocuments))
      app.get(`/clients/${name}.json`, () => {
        const id = `${base()}/clients/${name}.json`;
        return { client_id: id, ...document };
      });
    // Without routes of their own, these methods would be refused with 405 while assistants are off, too.
    app.route({
      method: ['GET', 'DELETE'],
      url: '/mcp',
      handler: (_request, reply) =>
        reply
          .code(405)
          .header('allow', 'POST')
          .send({ error: 'invalid_request', error_description: 'Send a POST request.' }),
    });
    done();
  }

  return (app, _options, done) => {
    void app.register(endpoint);
    done();
  };
}

function one(headers: FastifyRequest['headers'], name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}
