/** The two channels between the window and the main process. */
export const callChannel = 'porchlight:call';
export const eventChannel = 'porchlight:event';
