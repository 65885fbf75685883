import { windowUploadBytes } from '../../../src-main/contract/media.ts';

export const ownerPhotoWords = {
  title: 'Photo',
  about:
    'Shown on your home page, and to apps that may see your profile. Porchlight removes place and camera data from it.',
  elsewhere: 'Your photo is on another server, so your home page doesn’t show it. Upload it to fix this.',
  found: 'Porchlight copies the photo from your site when you save.',
  upload: 'Upload a photo',
  replace: 'Replace photo',
  remove: 'Remove photo',
  chooser: 'Choose a photo',
  tooLarge: `The file is larger than ${windowUploadBytes / 1_000_000} MB. Choose a smaller picture.`,
  uploadFailed: 'Porchlight couldn’t save the photo.',
  removeFailed: 'Porchlight couldn’t remove the photo.',
  saved: 'Photo saved.',
  removed: 'Photo removed.',
};
