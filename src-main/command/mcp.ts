import { createInterface } from 'node:readline';
import { PorchlightError } from '../contract/error.ts';
import { isRecord, jsonIn } from '../storage/json-value.ts';
import type { Command, Server } from './command.ts';

/** Passes messages between an assistant on this computer and the server, until stdin ends. */
export const mcp: Command = {
  help: 'Connect an assistant on this computer (MCP on stdin and stdout)',
  words: [0, 0],
  options: {},
  async run(server) {
    let id: string | undefined;
    for await (const line of createInterface({ input: process.stdin })) {
      if (line.trim() === '') continue;
      const message = jsonIn(line);
      try {
        if (!isRecord(message))
          throw new PorchlightError('invalid_request', 'Send one JSON-RPC message on each line.');
        id ??= (await server.call('assistants.open', { name: nameIn(message) })).id;
        const { answer } = await server.call('assistants.message', { id, message });
        if (answer !== null) process.stdout.write(`${JSON.stringify(answer)}\n`);
      } catch (error) {
        if (!(error instanceof PorchlightError)) throw error;
        process.stdout.write(`${JSON.stringify(failure(message, error.message))}\n`);
      }
    }
    await closed(server, id);
    return { json: null, text: '' };
  },
};

/** The server may have ended before the assistant. */
async function closed(server: Server, id: string | undefined): Promise<void> {
  if (id !== undefined) await server.call('assistants.close', { id }).catch(() => undefined);
}

const failure = (message: unknown, words: string) => ({
  jsonrpc: '2.0',
  id: isRecord(message) ? (message['id'] ?? null) : null,
  error: { code: -32603, message: words },
});

/** Returns what the assistant calls itself in its first message, of either era of the protocol. */
function nameIn(message: unknown): string {
  const params = isRecord(message) && isRecord(message['params']) ? message['params'] : {};
  const meta = isRecord(params['_meta']) ? params['_meta'] : {};
  const info = params['clientInfo'] ?? meta['io.modelcontextprotocol/clientInfo'];
  const name = isRecord(info) ? (info['title'] ?? info['name']) : undefined;
  return typeof name === 'string' ? name.slice(0, 200) : '';
}
