/** Where progress is shown: a terminal, a file or a pipe. */
interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** How often a file or a pipe gets a line, in percent. */
const step = 20;

/**
 * Returns a function that shows how much of the demo is ready: on one line of a terminal, or in lines. It writes to
 * stderr, because stdout is for programs.
 */
export function demoProgress(output: Output = process.stderr): (done: number, total: number) => void {
  let shown = -1;
  return (done, total) => {
    const percent = Math.floor((done / total) * 100);
    const part = output.isTTY === true ? percent : percent - (percent % step);
    if (part === shown) return;
    shown = part;
    const words = `Preparing the demo, a made-up year: ${part} %`;
    if (output.isTTY === true) output.write(`\r\u001b[K${part < 100 ? words : ''}`);
    else output.write(`${words}\n`);
  };
}
