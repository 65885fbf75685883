import { PorchlightError } from '../contract/error.ts';
import { isRecord } from '../storage/json-value.ts';

/** The revision without sessions and handshake. */
const modern = '2026-07-28';
/** The revisions that begin with `initialize`, the newest first. */
const legacy = ['2025-11-25', '2025-06-18'];

const versionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const serverInfoKey = 'io.modelcontextprotocol/serverInfo';

/** The codes of JSON-RPC 2.0 and of the Model Context Protocol. */
const codes = {
  unparsed: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** The field of a request's parameters that the header Mcp-Name repeats. */
const nameFields: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** How long a client may keep the list of tools, in ms. It only changes with the program. */
const toolsMs = 3_600_000;

type Id = string | number;
export type Params = Readonly<Record<string, unknown>>;

/** What a method of the server answers with. */
type McpResult = Readonly<Record<string, unknown>>;
export type ToolResult = McpResult & { readonly structuredContent: McpResult };

/** The methods that clients call besides those of the protocol itself. */
export interface McpMethods {
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly object[];
  /** Returns the newest resources. */
  readonly resources: () => Promise<readonly object[]>;
  /** @throws McpError, and other errors with a status */
  readonly callTool: (name: string, input: Params) => Promise<ToolResult>;
  /** @throws McpError, and other errors with a status */
  readonly readResource: (uri: string) => Promise<McpResult>;
}

/** An HTTP response to a message. Without a body if the message needs no response. */
export interface McpAnswer {
  readonly status: number;
  readonly body?: object;
}

/** The headers that say what the body says (2026-07-28, "Standard headers"). */
export interface McpHeaders {
  readonly version: string | undefined;
  readonly method: string | undefined;
  readonly name: string | undefined;
}

/** An error with a code of the protocol. */
export class McpError extends Error {
  override readonly name = 'McpError';
  readonly code: number;
  readonly status: number;
  readonly data: object | undefined;

  constructor(code: keyof typeof codes, message: string, status = 400, data?: object) {
    super(message);
    this.code = codes[code];
    this.status = status;
    this.data = data;
  }
}

/**
 * Answers a message of an MCP client, of either era: a request without a session (2026-07-28), or one of the revisions
 * with `initialize`. Rejects with errors that decide about the whole HTTP response (see isHttpError). `headers`: undefined
 * for a message that came without HTTP.
 */
export async function answerMessage(
  message: unknown,
  headers: McpHeaders | undefined,
  methods: McpMethods,
): Promise<McpAnswer> {
  const id = isRecord(message) && isId(message['id']) ? message['id'] : null;
  try {
    if (!isRecord(message) || message['jsonrpc'] !== '2.0')
      throw new McpError('invalidRequest', 'Send one JSON-RPC 2.0 message. Batches are not supported.');
    const { method, params = {} } = message;
    if (typeof method !== 'string') {
      // A response to a request: this server sends none.
      if ('result' in message || 'error' in message) return { status: 202 };
      throw new McpError('invalidRequest', 'The message has no method.');
    }
    if (!isRecord(params)) throw new McpError('invalidParams', 'The parameters must be an object.');
    if (!('id' in message)) return { status: 202 };
    if (id === null) throw new McpError('invalidRequest', 'The id must be a string or a number.');
    const version = eraOf(method, params, headers);
    const result = await resultOf(method, params, methods, version);
    return { status: 200, body: { jsonrpc: '2.0', id, result } };
  } catch (error) {
    if (error instanceof McpError) return { status: error.status, body: errorBody(id, error) };
    throw error;
  }
}

/** Returns the response to a body that isn't JSON. */
export const unparsedAnswer = (): McpAnswer => ({
  status: 400,
  body: errorBody(null, new McpError('unparsed', 'The body is not valid JSON.')),
});

/** Returns the response to a message that this server can't answer. `id`: that of the message. */
export const errorResponse = (id: unknown, words: string): object =>
  errorBody(isId(id) ? id : null, new McpError('internal', words));

const errorBody = (id: Id | null, { code, message, data }: McpError) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data && { data }) },
});

const isId = (value: unknown): value is Id => typeof value === 'string' || Number.isSafeInteger(value);

/**
 * Returns whether a request is one of the modern era, and checks its headers and its envelope.
 * @throws McpError
 */
function eraOf(method: string, params: Params, headers: McpHeaders | undefined): 'modern' | 'legacy' {
  const meta = isRecord(params['_meta']) ? params['_meta'] : {};
  const claimed = meta[versionKey];
  if (claimed === undefined && headers?.version !== modern) {
    const isKnown = headers?.version === undefined || [...legacy, '2025-03-26'].includes(headers.version);
    if (!isKnown && method !== 'initialize') throw unsupported(headers.version);
    return 'legacy';
  }
  if (typeof claimed !== 'string')
    throw new McpError('invalidParams', `The request’s _meta has no ${versionKey}.`);
  if (headers && headers.version !== claimed) throw mismatch('MCP-Protocol-Version', versionKey);
  if (claimed !== modern) throw unsupported(claimed);
  if (!isRecord(meta[capabilitiesKey]))
    throw new McpError('invalidParams', `The request’s _meta has no ${capabilitiesKey}.`);
  if (headers && headers.method !== method) throw mismatch('Mcp-Method', 'method');
  const field = Object.hasOwn(nameFields, method) ? nameFields[method] : undefined;
  if (headers && field !== undefined && decodedName(headers.name) !== params[field])
    throw mismatch('Mcp-Name', `params.${field}`);
  return 'modern';
}

const mismatch = (header: string, field: string) =>
  new McpError('headerMismatch', `The header ${header} is missing or differs from ${field} in the body.`);

const unsupported = (requested: string) =>
  new McpError('unsupportedVersion', 'This server does not support this version of the protocol.', 400, {
    supported: [modern, ...legacy],
    requested,
  });

/** Returns the value of Mcp-Name. Clients send a value that a header can't hold as `=?base64?...?=`. */
function decodedName(value: string | undefined): string | undefined {
  const [, encoded] = /^=\?base64\?([\w+/=-]*)\?=$/.exec(value ?? '') ?? [];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8');
}

async function resultOf(
  method: string,
  params: Params,
  methods: McpMethods,
  era: 'modern' | 'legacy',
): Promise<McpResult> {
  const serverInfo = { name: 'porchlight', title: 'Porchlight', version: methods.version };
  const about = { capabilities: { tools: {}, resources: {} }, instructions: methods.instructions };
  const kept = (ttlMs: number) => (era === 'modern' ? { ttlMs, cacheScope: 'private' } : {});
  const complete = (result: McpResult): McpResult =>
    era === 'modern' ? { resultType: 'complete', ...result, _meta: { [serverInfoKey]: serverInfo } } : result;
  switch (`${era} ${method}`) {
    case 'modern server/discover':
      return complete({ supportedVersions: [modern, ...legacy], ...about, ...kept(toolsMs) });
    case 'legacy initialize': {
      const requested = String(params['protocolVersion']);
      const protocolVersion = legacy.includes(requested) ? requested : legacy[0];
      return { protocolVersion, serverInfo, ...about };
    }
    case 'legacy ping':
      return {};
  }
  switch (method) {
    case 'tools/list':
      return complete({ tools: methods.tools, ...kept(toolsMs) });
    case 'tools/call':
      return complete(await called(params, methods));
    case 'resources/list':
      return complete({ resources: await methods.resources(), ...kept(0) });
    case 'resources/templates/list':
      return complete({ resourceTemplates: [], ...kept(toolsMs) });
    case 'resources/read':
      return complete({ ...(await read(textOf(params, 'uri'), methods)), ...kept(0) });
    default:
      throw new McpError('unknownMethod', 'This server has no such method.', era === 'modern' ? 404 : 200);
  }
}

/** Calls a tool. What the assistant can mend comes back as the result of the tool, so that it reads it. */
async function called(params: Params, methods: McpMethods): Promise<McpResult> {
  const { arguments: input = {} } = params;
  const name = textOf(params, 'name');
  if (!isRecord(input)) throw new McpError('invalidParams', 'The arguments must be an object.', 200);
  try {
    return await methods.callTool(name, input);
  } catch (error) {
    if (!(error instanceof PorchlightError) || isHttpError(error)) throw error;
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}

async function read(uri: string, methods: McpMethods): Promise<McpResult> {
  try {
    return await methods.readResource(uri);
  } catch (error) {
    if (!(error instanceof PorchlightError) || isHttpError(error)) throw error;
    throw new McpError('invalidParams', error.message, 200);
  }
}

/** Returns whether an error decides about the whole HTTP response: about the token, the budget or the disk. */
const isHttpError = ({ status }: PorchlightError): boolean =>
  [401, 403, 429].includes(status) || status >= 500;

/** @throws McpError */
function textOf(params: Params, name: string): string {
  const value = params[name];
  if (typeof value === 'string') return value;
  throw new McpError('invalidParams', `The parameter ${name} must be a string.`, 200);
}
