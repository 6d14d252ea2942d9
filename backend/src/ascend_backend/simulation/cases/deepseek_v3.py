"""DeepSeek-V3: latent attention, experts in groups beside a shared one."""

from ascend_backend.simulation.cases import register
from ascend_backend.simulation.cases.case import Case
from ascend_backend.simulation.models.deepseek_v3 import RECIPE

register(Case("deepseek_v3", RECIPE))
