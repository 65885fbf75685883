import { connect, type Socket } from 'node:net';
import { setTimeout as rest } from 'node:timers/promises';
import { takenByOtherMachines, waitedForDisk } from '../bench/soak/processor-wait.ts';
import { statusesOf, type Outcome } from './oracles.ts';
import type { FuzzRequest } from './request.ts';

/**
 * How long a whole request may wait for its answer, in ms: what is never answered. That an answer is late is judged by
 * the pulse, which leaves out the time in which other programs had the processor. Time in which the whole machine stood
 * still is added.
 */
const answerMs = 60_000;
/** How long the fuzzer waits for more where no answer is due, in ms. */
const quietMs = 120;
const pieceMs = 4;
/** More of an answer is not kept. */
const mostBytes = 2_000_000;

/** Sends a request as its delivery says, and reads what comes back until either side ends it. Never rejects. */
export function send(request: FuzzRequest, port: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let received = 0;
    let firstAt: number | undefined;
    let refused: string | undefined;
    let isSilent = false;
    const began = performance.now();
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    let standstill = standstillMs();
    const giveUp = () => {
      const more = standstillMs() - standstill;
      standstill += more;
      if (request.mustAnswer && more >= quietMs) {
        socket.setTimeout(more, giveUp);
        return;
      }
      isSilent = true;
      socket.destroy();
    };
    socket.setTimeout(request.mustAnswer ? answerMs : quietMs, giveUp);
    // A server that sends now and then, as a stream of events does, would keep the time limit above away.
    const latest = setTimeout(giveUp, request.mustAnswer ? 2 * answerMs : 20 * quietMs);
    socket.on('connect', () => void write(socket, request));
    socket.on('data', (chunk: Buffer) => {
      firstAt ??= performance.now();
      received += chunk.length;
      if (received <= mostBytes) chunks.push(chunk);
    });
    socket.on('end', () => socket.end());
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Other errors are the server's way to hang up in the middle of it.
      if (error.code === 'ECONNREFUSED') refused = error.message;
      socket.destroy();
    });
    socket.on('close', () => {
      clearTimeout(latest);
      const text = Buffer.concat(chunks).toString('latin1');
      const ms = (firstAt ?? performance.now()) - began;
      resolve({ text, statuses: statusesOf(text), ms, isSilent, ...(refused !== undefined && { refused }) });
    });
  });
}

/** Returns the ms since the start of the machine in which programs waited for its disk, or it didn't run. */
const standstillMs = (): number => waitedForDisk() + takenByOtherMachines();

async function write(socket: Socket, { bytes, delivery }: FuzzRequest): Promise<void> {
  switch (delivery.kind) {
    case 'whole':
      socket.write(bytes);
      return;
    case 'half-closed':
      socket.end(bytes);
      return;
    case 'aborted':
      socket.write(bytes.subarray(0, delivery.after), () => socket.destroy());
      return;
    case 'pipelined':
      for (let count = 0; count < delivery.times && socket.writable; count += 1) socket.write(bytes);
      return;
    case 'slow': {
      const size = Math.ceil(bytes.length / delivery.pieces) || 1;
      for (let at = 0; at < bytes.length && socket.writable; at += size) {
        socket.write(bytes.subarray(at, at + size));
        await rest(pieceMs);
      }
    }
  }
}
