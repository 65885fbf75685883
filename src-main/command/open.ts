import type { Command } from './command.ts';

export const open: Command = {
  help: 'Open the window, or print a link that opens it once',
  words: [0, 0],
  options: { print: { help: 'Only print the link; open no browser' } },
  async run(server, given, terminal) {
    const { link, file } = await server.openWindow();
    if (link === null) return { json: { link }, text: 'The window is open.\n' };
    if (file !== null && terminal.shows && !given.flag('print') && !given.flag('json')) {
      terminal.browse(file);
      terminal.note('Opening the window in your browser. If that fails, open this link yourself:');
    }
    return { json: { link }, text: `${link}\n` };
  },
};
