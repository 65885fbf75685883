import type { EventName, OwnerEvent } from '../../src-main/contract/contract.ts';

const eventNames: Record<EventName, true> = {
  'status.changed': true,
  'signIn.requested': true,
  'signIn.settled': true,
  'post.changed': true,
  'posts.importProgress': true,
  'media.changed': true,
  'webmention.received': true,
  'webmention.changed': true,
  'import.progress': true,
  'deliveries.changed': true,
  'settings.changed': true,
  'siteFolder.changed': true,
  'tunnel.changed': true,
  'cloudflare.progress': true,
  'mailbox.changed': true,
  'mailbox.arrived': true,
  'activity.added': true,
  'phones.changed': true,
  'setup.checked': true,
  'data.progress': true,
};

/**
 * The events in a text/event-stream (HTML, 9.2.6), however it is cut into chunks.
 * Comments (heartbeats) and events of unknown names are passed over.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<OwnerEvent> {
  let rest = '';
  let message: Message = { name: '', data: [] };
  for await (const chunk of textOf(body)) {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== '') {
        message = withField(message, line);
        continue;
      }
      const event = ownerEvent(message);
      message = { name: '', data: [] };
      if (event) yield event;
    }
  }
}

interface Message {
  readonly name: string;
  readonly data: readonly string[];
}

async function* textOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function withField(message: Message, line: string): Message {
  const colon = line.indexOf(':');
  const field = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (field === 'event') return { ...message, name: value };
  if (field === 'data') return { ...message, data: [...message.data, value] };
  return message;
}

function ownerEvent({ name, data }: Message): OwnerEvent | undefined {
  if (!Object.hasOwn(eventNames, name)) return undefined;
  try {
    // The service made it from the contract's own schema; what is not even JSON is passed over.
    return { name, data: JSON.parse(data.join('\n')) as unknown } as OwnerEvent;
  } catch {
    return undefined;
  }
}
