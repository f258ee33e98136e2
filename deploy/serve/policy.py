"""Two deployments, of which one asks the other."""

from ray import serve
from ray.serve.handle import DeploymentHandle


@serve.deployment
class Scorer:
    async def score(self, text: str) -> int:
        return len(text)


@serve.deployment
class Policy:
    def __init__(self, scorer: DeploymentHandle):
        self._scorer = scorer

    async def __call__(self, request) -> str:
        return str(await self._scorer.score.remote(request.query_params["prompt"]))


app = Policy.bind(Scorer.bind())
