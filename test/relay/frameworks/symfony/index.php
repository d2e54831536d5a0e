<?php
/**
 * Symfony's HttpFoundation, on which Laravel is built too: answers what an application reads from a request to
 * `POST /pay` or `PUT /cards`.
 */

require_once 'Symfony/Component/HttpFoundation/autoload.php';

use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Request;

Request::enableHttpMethodParameterOverride();
$request = Request::createFromGlobals();
$route = $request->getMethod() . ' ' . $request->getPathInfo();
if ($route !== 'POST /pay' && $route !== 'PUT /cards') {
    (new JsonResponse(['route' => $route], 404))->send();
    return;
}
$xml = @simplexml_load_string($request->getContent());
(new JsonResponse([
    'card' => $request->get('card'),
    'form' => $request->request->all(),
    'json' => json_decode($request->getContent(), true),
    // SimpleXML names children of the root, whatever that is called.
    'xml' => $xml === false ? null : (string) $xml->card,
]))->send();
