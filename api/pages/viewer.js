// Starts the viewer on the page of the reference: for reading, in the colours that the reader prefers.
'use strict';

const place = document.getElementById('reference');
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);

dark.addEventListener('change', follow);
follow();

// The operations alone: the page has a heading and a main part of its own, and no credential is typed into it.
const forReading = ({ React, getComponent, specSelectors }) => ({
    components: {
        OperationsLayout: () => {
            const failed = specSelectors.loadingStatus() === 'failed';
            const shown = failed ? 'The description can’t be loaded.' : React.createElement(getComponent('operations', true));
            return React.createElement('div', { className: 'swagger-ui' }, shown);
        },
        DeepLink: ({ text }) => React.createElement('span', null, text), // a link within a button is out of a keyboard's reach
        authorizeOperationBtn: () => null,
    },
});

// What the viewer does not say to those who don't see it, or have no mouse.
const complete = () => {
    for (const table of place.querySelectorAll('table[role]')) table.removeAttribute('role');
    for (const example of place.querySelectorAll('pre:not([tabindex])')) example.tabIndex = 0;
    for (const choice of place.querySelectorAll('.examples-select-element:not([aria-label])')) choice.ariaLabel = 'Example';
};

new MutationObserver(complete).observe(place, { childList: true, subtree: true });
SwaggerUIBundle({
    domNode: place,
    url: place.dataset.description,
    layout: 'OperationsLayout',
    plugins: [forReading],
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: -1, // operations show what they take and answer
    supportedSubmitMethods: [],
    syntaxHighlight: false,
    validatorUrl: null, // an address elsewhere
});
