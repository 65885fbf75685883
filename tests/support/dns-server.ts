import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** What a name has. `hangs`: what is asked about it gets no answer: all of it, or one kind of address. */
export interface DnsName {
  readonly four?: readonly string[];
  /** Each in full: eight groups of four digits. */
  readonly six?: readonly string[];
  /** The name that it is another name of, whose addresses are those above. */
  readonly alias?: string;
  readonly hangs?: boolean | 'six';
}

export interface DnsServer {
  /** As Resolver.setServers takes it. */
  readonly address: string;
  /** What was asked, such as `A quill.test`. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

const typeA = 1;
const typeCname = 5;
const typeAaaa = 28;
const nameError = 3;
const answerFlags = 0x8180;

/** Serves DNS over UDP on loopback. A name that is not in `names` does not exist. */
export async function serveDns(names: Readonly<Record<string, DnsName>>): Promise<DnsServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.on('message', (query, { port, address }) => {
    const { name, end } = nameAt(query, 12);
    const type = query.readUInt16BE(end);
    asked.push(`${type === typeA ? 'A' : 'AAAA'} ${name}`);
    const known = Object.hasOwn(names, name) ? names[name] : undefined;
    if (known?.hangs === true || (known?.hangs === 'six' && type === typeAaaa)) return;
    socket.send(answerTo(query, end + 4, type, known), port, address);
  });
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function nameAt(packet: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = packet.readUInt8(at); length > 0; length = packet.readUInt8(at)) {
    labels.push(packet.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}

function answerTo(query: Buffer, questionEnd: number, type: number, known: DnsName | undefined): Buffer {
  const addresses = (type === typeA ? known?.four : known?.six) ?? [];
  const alias = known?.alias === undefined ? undefined : written(known.alias);
  const asked = query.subarray(12, questionEnd - 4);
  const records = [
    ...(alias ? [record(asked, typeCname, alias)] : []),
    ...addresses.map((one) => record(alias ?? asked, type, bytesOf(one))),
  ];
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(answerFlags + (known ? 0 : nameError), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, query.subarray(12, questionEnd), ...records]);
}

function record(name: Buffer, type: number, data: Buffer): Buffer {
  const middle = Buffer.alloc(10);
  middle.writeUInt16BE(type, 0);
  middle.writeUInt16BE(1, 2);
  middle.writeUInt32BE(60, 4);
  middle.writeUInt16BE(data.length, 8);
  return Buffer.concat([name, middle, data]);
}

function written(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function bytesOf(address: string): Buffer {
  return address.includes(':')
    ? Buffer.from(address.replaceAll(':', ''), 'hex')
    : Buffer.from(address.split('.').map(Number));
}
